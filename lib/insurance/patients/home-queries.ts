import type { Access } from "@/lib/access/identity/access";
import { inList } from "@/lib/platform/db/page";
import { db, sql } from "@/lib/platform/db/sql";

/** How many patients each of the caller's practices has, by its id; one without any is left out. */
export async function countPatients(access: Access): Promise<Map<number, number>> {
  const rows = await db.rows<{ practice_id: number; patients: number }>(sql`
    SELECT practice_id, count(*) AS patients FROM patient
    WHERE ${inList(sql`practice_id`, access.practices)} AND deleted_date IS NULL GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, patients }) => [practice_id, patients]));
}
