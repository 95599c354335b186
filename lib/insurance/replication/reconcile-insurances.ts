import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyChange } from "@/lib/insurance/patient-write/replication-payload";
import { applyPolicyChanges } from "@/lib/insurance/patients/apply-policy-changes";
import { selectPolicies } from "@/lib/insurance/policies/queries";
import { sql } from "@/lib/platform/db/sql";

/**
 * Updates the legacy insurances of a patient from all its policies, after an event was discarded. Legacy insurances that
 * already match are left unchanged.
 *
 * @param removed changes of discarded events that purged policies; the policies themselves no longer exist
 */
export async function reconcileInsurances(write: PatientWrite, removed: readonly PolicyChange[]): Promise<void> {
  const policies = await selectPolicies(write.tx, sql`p.patient_id = ${write.patient.id}`);
  const saved = policies.map((policy) => ({ kind: "update" as const, policy }));
  await applyPolicyChanges(write, [...removed, ...saved]);
}
