import type { Access } from "@/lib/access/identity/access";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** Counts the patients of each of the caller's practices, by practice ID. Practices without patients are omitted. */
export async function countPatients(access: Access): Promise<Map<number, number>> {
  const rows = await db.rows<{ practice_id: number; patients: number }>(sql`
    SELECT practice_id, count(*) AS patients FROM patient
    WHERE ${inList(sql`practice_id`, access.practices)} AND deleted_date IS NULL GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, patients }) => [practice_id, patients]));
}
