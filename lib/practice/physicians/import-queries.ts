import { type Db, sql } from "@/lib/platform/db/sql";

/** The physicians of a practice with their ids in the system they came from: active ones first, then in the order of ids. */
export async function listPhysiciansForImport(
  read: Db,
  practiceId: number,
): Promise<{ id: number; external_id: number | null }[]> {
  return read.rows(sql`
    SELECT id, external_id FROM physician WHERE practice_id = ${practiceId} ORDER BY is_active DESC, id`);
}
