import { toRank } from "@/lib/insurance/fields/ranks";
import type { InsuranceToImport, PatientToImport } from "@/lib/insurance/patients/rules";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { CompanyDirectory } from "@/lib/migration/findings/companies";
import { type PlanContext, targetFields } from "@/lib/migration/plan/plan-patient";
import { lifetimeOf } from "@/lib/migration/record/read-record";
import type { LegacyInsurance, LegacyPatient } from "@/lib/migration/record/schema";

/** Maps a record to what the conversion writes. Verification compares stored data with the same mapping. */

/** Maps the export's ids to the practice's. */
export interface Destination {
  practiceId: number;
  /** Physicians by their ids in the export. */
  physicians: ReadonlyMap<number, number>;
  /** Assigned to patients whose physician the practice doesn't have. */
  firstPhysician: number;
  companies: CompanyDirectory;
}

/** A patient as read, with card images or their hashes. */
type ReadPatient = Omit<LegacyPatient, "insurance_cards"> & { insurance_cards?: unknown };

/** Returns the patient to create, without its card images. */
export function targetPatient(
  patient: ReadPatient,
  destination: Omit<Destination, "companies"> & Pick<PlanContext, "companies">,
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

/** Returns the insurance to create. The export's plan id has no meaning here, so only the name in `plan` is kept. */
export function targetInsurance(
  entry: LegacyInsurance,
  { isCurrent, companies, now }: { isCurrent: boolean; companies: PlanContext["companies"]; now: string },
): InsuranceToImport {
  const { from, until } = lifetimeOf(entry, isCurrent, now);
  return {
    externalId: entry.id,
    rank: toRank(entry.rank),
    fields: targetFields(entry, companies),
    createdDate: from,
    deletedDate: until,
  };
}

/** Returns the practice's legacy record of a current insurance with the export's values. */
export function changedInsurance(
  row: InsuranceRow,
  entry: LegacyInsurance,
  companies: PlanContext["companies"],
): InsuranceRow {
  return { ...row, ...targetFields(entry, companies, row), rank: toRank(entry.rank) };
}

/** Returns the practice's legacy record of an insurance that ended in the export. Its other fields are unchanged. */
export function endedInsurance(row: InsuranceRow, entry: LegacyInsurance, now: string): InsuranceRow {
  const until = lifetimeOf(entry, false, now).until ?? now;
  return { ...row, deleted_date: until < row.created_date ? row.created_date : until };
}
