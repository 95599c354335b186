import { sql } from "@/lib/db/sql";
import { selectPolicies } from "@/lib/policies/queries";
import type { PolicyChange } from "@/lib/sync/changes";
import type { Unit } from "@/lib/sync/unit";
import { followPolicies } from "./follow-policies";

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
