import type { PolicyChange } from "@/lib/insurance/patient-write/changes";
import type { Unit } from "@/lib/insurance/patient-write/unit";
import { followPolicies } from "@/lib/insurance/patients/follow-policies";
import { selectPolicies } from "@/lib/insurance/policies/queries";
import { sql } from "@/lib/platform/db/sql";

/**
 * Brings the legacy records to where the policies stand now, whatever they missed: they follow each policy as if it had
 * just been saved. For a patient whose event was given up; what is in step already stays untouched.
 *
 * @param removed what the events given up told of policies deleted for good, which nothing else tells of any more
 */
export async function matchPolicies(unit: Unit, removed: readonly PolicyChange[]): Promise<void> {
  const policies = await selectPolicies(unit.tx, sql`p.patient_id = ${unit.patient.id}`);
  const saved = policies.map((policy) => ({ kind: "update" as const, policy }));
  await followPolicies(unit, [...removed, ...saved]);
}
