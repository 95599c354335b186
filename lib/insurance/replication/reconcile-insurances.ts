import type { PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyChange } from "@/lib/insurance/patient-write/replication-payload";
import { applyPolicyChanges } from "@/lib/insurance/patients/apply-policy-changes";
import { selectPolicies } from "@/lib/insurance/policies/queries";
import { sql } from "@/lib/platform/db/sql";

/**
 * Brings the legacy records to where the policies stand now, whatever they missed: they follow each policy as if it had
 * just been saved. For a patient whose event was given up; what is in step already stays untouched.
 *
 * @param removed what the events given up told of policies deleted for good, which nothing else tells of any more
 */
export async function reconcileInsurances(write: PatientWrite, removed: readonly PolicyChange[]): Promise<void> {
  const policies = await selectPolicies(write.tx, sql`p.patient_id = ${write.patient.id}`);
  const saved = policies.map((policy) => ({ kind: "update" as const, policy }));
  await applyPolicyChanges(write, [...removed, ...saved]);
}
