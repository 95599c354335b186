import { type Db, sql } from "@/lib/platform/db/sql";

/** Lists the physicians of a practice with their IDs in the system they were imported from, active ones first. */
export async function listPhysiciansForImport(
  read: Db,
  practiceId: number,
): Promise<{ id: number; external_id: number | null }[]> {
  return read.rows(sql`
    SELECT id, external_id FROM physician WHERE practice_id = ${practiceId} ORDER BY is_active DESC, id`);
}
