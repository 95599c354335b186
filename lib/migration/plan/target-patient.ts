import { type InsuranceFields, pickInsurance, sentFields } from "@/lib/insurance/fields/fields";
import { toRank } from "@/lib/insurance/fields/limits";
import type { InsuranceToImport, PatientToImport } from "@/lib/insurance/patients/rules";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import { type CompanyDirectory, findCompanyId, linkedCompany } from "@/lib/migration/findings/companies";
import type { LegacyInsurance, StagedPatient } from "@/lib/migration/record/record";

// Maps a record to what the conversion writes. Verification compares stored data with the same mapping.

/** Maps the export's IDs to the practice's. */
export interface Destination {
  practiceId: number;
  /** Physicians by their IDs in the export. */
  physicians: ReadonlyMap<number, number>;
  /** Assigned to patients whose physician the practice doesn't have. */
  firstPhysician: number;
  companies: CompanyDirectory;
}

/** A patient as read, with card images or their hashes. */
type ReadPatient = Omit<StagedPatient, "insurance_cards"> & { insurance_cards?: unknown };

/** Returns the patient to create, without its card images. */
export function targetPatient(
  patient: ReadPatient,
  destination: Destination,
  now: string,
): Omit<PatientToImport, "fingerprint" | "cards"> {
  const { id, primary_physician: physician = null, created_date, insurance_cards: _cards, ...rest } = patient;
  const { insurances: current, deleted_insurances: past, deleted_date: _deleted, ...demographics } = rest;
  const known = physician === null ? undefined : destination.physicians.get(physician);
  const { companies } = destination;
  return {
    externalId: id,
    demographics: { ...demographics, primary_physician: known ?? destination.firstPhysician },
    createdDate: created_date && created_date < now ? created_date : now,
    insurances: [
      ...current.map((entry) => targetInsurance(entry, { isCurrent: true, companies, now })),
      ...past.map((entry) => targetInsurance(entry, { isCurrent: false, companies, now })),
    ],
  };
}

/** Returns the insurance to create. The export's plan ID has no meaning here, so only the name in `plan` is kept. */
export function targetInsurance(
  entry: LegacyInsurance,
  { isCurrent, companies, now }: { isCurrent: boolean; companies: CompanyDirectory; now: string },
): InsuranceToImport {
  const { from, until } = findLifetime(entry, isCurrent, now);
  return {
    externalId: entry.id,
    rank: toRank(entry.rank),
    fields: targetFields(entry, companies),
    createdDate: from,
    deletedDate: until,
  };
}

/** Returns the practice's legacy record of a current insurance with the export's values. */
export function changedInsurance(row: InsuranceRow, entry: LegacyInsurance, companies: CompanyDirectory): InsuranceRow {
  return { ...row, ...targetFields(entry, companies, row), rank: toRank(entry.rank) };
}

/** Returns the practice's legacy record of an insurance that ended in the export. Its other fields are unchanged. */
export function endedInsurance(row: InsuranceRow, entry: LegacyInsurance, now: string): InsuranceRow {
  const until = findLifetime(entry, false, now).until ?? now;
  return { ...row, deleted_date: until < row.created_date ? row.created_date : until };
}

/**
 * Returns when a legacy insurance began and ended: its own dates, or the nearest known ones.
 *
 * @param now ISO 8601 in UTC; no result is later
 */
export function findLifetime(
  entry: LegacyInsurance,
  isCurrent: boolean,
  now: string,
): { from: string; until: string | null } {
  const earliest = (time: string | null | undefined, latest: string) => (time && time < latest ? time : latest);
  const startOf = (day: string | null | undefined) => (day ? `${day}T00:00:00.000Z` : null);
  if (isCurrent) return { from: earliest(entry.created_date ?? startOf(entry.start_date), now), until: null };
  const ended = earliest(entry.deleted_date ?? startOf(entry.end_date), now);
  const from = earliest(entry.created_date ?? startOf(entry.start_date) ?? ended, now);
  return { from, until: ended < from ? from : ended };
}

/**
 * Maps an insurance of the export to the fields of a policy. Plan IDs of the export have no meaning here, so only the name
 * in `plan` is kept.
 *
 * @param before the practice's record of it; keeps the fields that the export lacks, such as missing CSV columns
 */
export function targetFields(
  entry: LegacyInsurance,
  companies: CompanyDirectory,
  before: InsuranceFields | null = null,
): InsuranceFields {
  const fields = pickInsurance({ ...before, ...sentFields(entry) });
  const isOmitted = entry.insurance_company === undefined && fields.carrier === before?.carrier;
  const company = (isOmitted ? before?.insurance_company : null) ?? findCompanyId(entry, companies);
  // A kept carrier would name the earlier company.
  const isKeptInError = entry.carrier === undefined && company !== before?.insurance_company;
  const carrier = isKeptInError ? null : fields.carrier;
  return { ...fields, carrier, insurance_company: company, insurance_plan: null };
}

/** Returns whether an insurance names a payer, by ID or by name. */
export const namesCompany = (entry: LegacyInsurance, companies: CompanyDirectory) =>
  Boolean(entry.insurance_company) || linkedCompany(entry, companies) !== null;
