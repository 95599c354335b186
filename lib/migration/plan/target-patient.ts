import { toRank } from "@/lib/insurance/fields/ranks";
import type { InsuranceToImport, PatientToImport } from "@/lib/insurance/patients/rules";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { CompanyDirectory } from "@/lib/migration/findings/companies";
import { type PlanContext, targetFields } from "@/lib/migration/plan/plan-patient";
import { lifetimeOf } from "@/lib/migration/record/read-record";
import type { LegacyInsurance, LegacyPatient } from "@/lib/migration/record/schema";

/**
 * What a conversion writes of a record. The conversion writes it, and verification compares what is stored with it: a field
 * can't be converted one way and verified another.
 */

/** What ids of the other system mean in the practice that is imported into. */
export interface Destination {
  practiceId: number;
  /** Physicians by their ids there. */
  physicians: ReadonlyMap<number, number>;
  /** Gets the patients of physicians the practice does not have. */
  firstPhysician: number;
  companies: CompanyDirectory;
}

/** A patient as read, whether its card images are at hand or known by their hashes. */
type ReadPatient = Omit<LegacyPatient, "insurance_cards"> & { insurance_cards?: unknown };

/** A new patient in the form of this system, except its card images. */
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

/** A new insurance in the form of this system. A plan's id means nothing here: the name in `plan` stays. */
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

/** The practice's legacy record of a current insurance, with what the export says of it. */
export function changedInsurance(
  row: InsuranceRow,
  entry: LegacyInsurance,
  companies: PlanContext["companies"],
): InsuranceRow {
  return { ...row, ...targetFields(entry, companies, row), rank: toRank(entry.rank) };
}

/** The practice's legacy record of an insurance that the export says has ended. Its fields stay. */
export function endedInsurance(row: InsuranceRow, entry: LegacyInsurance, now: string): InsuranceRow {
  const until = lifetimeOf(entry, false, now).until ?? now;
  return { ...row, deleted_date: until < row.created_date ? row.created_date : until };
}
