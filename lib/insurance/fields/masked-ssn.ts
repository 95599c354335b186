const MASK = "•";

/** An SSN as pages show it: its last four characters. Separators stay, so that it reads as one: `•••-••-6789`. */
export function maskSsn(ssn: string): string {
  return ssn.length > 4 ? ssn.slice(0, -4).replace(/[^-\s]/g, MASK) + ssn.slice(-4) : MASK.repeat(4);
}

/** Whether this is what a page shows of an SSN, and not one itself. */
export function isMaskedSsn(text: string): boolean {
  return text.includes(MASK);
}

/** A record of which a page may show everything. */
export function withMaskedSsn<T extends { insured_person_ssn: string | null }>(record: T): T {
  const { insured_person_ssn: ssn } = record;
  return ssn === null ? record : { ...record, insured_person_ssn: maskSsn(ssn) };
}
