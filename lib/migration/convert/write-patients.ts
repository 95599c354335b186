import type { Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import { type ImportedPatient, importPatients } from "@/lib/insurance/patients/import-patients";
import { importPolicies } from "@/lib/insurance/policies/import-policies";
import type { Destination } from "@/lib/migration/plan/target-patient";
import type { Tx } from "@/lib/platform/db/transaction";
import { DomainError, OverloadedError } from "@/lib/platform/errors";
import type { PreparedPatient } from "./prepare-patient";

/**
 * Writes new patients to both stores and publishes them. The caller must audit in the last statement of the
 * transaction: from then on all other writers of the practice wait for the commit.
 */
export async function writePatients(
  tx: Tx,
  prepared: readonly PreparedPatient[],
  { destination, origin, now }: { destination: Destination; origin: Origin; now: string },
): Promise<ImportedPatient[]> {
  const { practiceId } = destination;
  const patients = prepared.map(({ patient }) => patient);
  const imported = await importPatients(tx, patients, { practiceId, now, origin });
  await importPolicies(tx, imported, origin);
  await publishEvents(tx, {
    type: "saved",
    resource: "patients",
    ids: imported.map(({ id }) => id),
    practiceId,
    origin,
  });
  return imported;
}

/**
 * Returns whether the error is caused by the data (PostgreSQL classes 22 and 23) rather than by the database or
 * network.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof DomainError) return !(error instanceof OverloadedError) && error.code !== "conflict";
  return error instanceof Error && "code" in error && /^2[23]/.test(String(error.code));
}
