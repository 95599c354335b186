import type { Access } from "@/lib/access/identity/access";
import { type Db, inList, sql } from "@/lib/platform/db/sql";

/** Returns the IDs of the patients the caller may see who have a current legacy insurance with this company or plan. */
export async function listPatientIdsInsuredBy(
  read: Db,
  access: Access,
  insurer: { insurance_company: number } | { insurance_plan: number },
): Promise<number[]> {
  const matches =
    "insurance_plan" in insurer
      ? sql`i.insurance_plan = ${insurer.insurance_plan}`
      : sql`i.insurance_company = ${insurer.insurance_company}`;
  const rows = await read.rows<{ id: number }>(sql`
    SELECT p.id FROM patient p WHERE p.deleted_date IS NULL AND ${inList(sql`p.practice_id`, access.practices)}
      AND EXISTS (SELECT FROM patient_insurance i WHERE i.patient_id = p.id AND i.deleted_date IS NULL AND ${matches})
    ORDER BY p.id`);
  return rows.map(({ id }) => id);
}

/** Returns whether any active or archived policy refers to an insurance plan. */
export async function isPlanUsed(db: Db, planId: number): Promise<boolean> {
  return (await db.first(sql`SELECT 1 FROM policy WHERE insurance_plan = ${planId} LIMIT 1`)) !== null;
}
