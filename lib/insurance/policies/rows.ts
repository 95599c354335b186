import { type Db, insertInto, join, raw, sql } from "@/lib/platform/db/sql";
import { POLICY_COLUMNS, type PolicyRow } from "./schema";

/** Inserts policies in one statement. */
export async function insertPolicies(db: Db, rows: readonly PolicyRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db.run(insertInto("policy", rows, POLICY_COLUMNS));
}

const KEPT = new Set<string>(["id", "patient_id", "practice_id", "patient_insurance", "created_date"]);
const CHANGING = POLICY_COLUMNS.filter((column) => !KEPT.has(column));

/** Updates the columns of a policy that changed. */
export async function updatePolicyRow(db: Db, before: PolicyRow, after: PolicyRow): Promise<void> {
  const changed = CHANGING.filter((column) => before[column] !== after[column]);
  const assignments = changed.map((column) => sql`${raw(column)} = ${after[column]}`);
  await db.run(sql`UPDATE policy SET ${join(assignments)} WHERE id = ${before.id}`);
}
