const MASK = "•";

/** Masks an SSN except its last four characters and its separators: `•••-••-6789`. */
export function maskSsn(ssn: string): string {
  return ssn.length > 4 ? ssn.slice(0, -4).replace(/[^-\s]/g, MASK) + ssn.slice(-4) : MASK.repeat(4);
}

/** Returns whether a string is a masked SSN. */
export function isMaskedSsn(text: string): boolean {
  return text.includes(MASK);
}

/** Masks the SSN of a record. */
export function withMaskedSsn<T extends { insured_person_ssn: string | null }>(record: T): T {
  const { insured_person_ssn: ssn } = record;
  return ssn === null ? record : { ...record, insured_person_ssn: maskSsn(ssn) };
}
