import type { Origin } from "@/lib/access/identity/access";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { InsuranceState } from "@/lib/insurance/patient-write/replication-payload";
import { chunks, type Db } from "@/lib/platform/db/sql";
import { writeImages } from "./image-rows";
import { insertPolicies } from "./rows";
import { importedVersions, type PolicyHolder } from "./rules";
import { appendVersions, type NewVersion } from "./versions";

/** A patient whose legacy insurances are already imported, with the card images of each rank. */
export interface PatientWithInsurances extends PolicyHolder {
  insurances: readonly InsuranceState[];
  cards: readonly (PlacedImage & { rank: number })[];
}

/**
 * Creates the policies of imported legacy insurances: active policies with the card images of their rank for current ones,
 * archived policies for past ones. Their versions have the dates of the legacy records. Replicates nothing: the caller writes
 * the legacy records in the same transaction.
 */
export async function importPolicies(
  tx: Db,
  patients: readonly PatientWithInsurances[],
  origin: Origin,
): Promise<{ active: number; archived: number }> {
  const histories = patients.flatMap((patient) =>
    patient.insurances.map((insurance) =>
      importedVersions(patient, insurance, patient.cards).map((version): NewVersion => ({ ...version, origin })),
    ),
  );
  const policies = histories.flatMap((history) => history.slice(-1).map(({ policy }) => policy));
  for (const rows of chunks(policies, 500)) await insertPolicies(tx, rows);
  for (const rows of chunks(policies, 1000)) {
    await writeImages(
      tx,
      rows.map((now) => ({ before: null, now })),
    );
  }
  for (const rows of chunks(histories.flat(), 1000)) await appendVersions(tx, rows);
  const active = policies.filter(({ status }) => status === "active").length;
  return { active, archived: policies.length - active };
}
