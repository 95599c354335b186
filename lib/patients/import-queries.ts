import { among } from "@/lib/db/page";
import { type Db, sql } from "@/lib/db/sql";

/** Imported patients of a practice among these: their ids in the other system, with the hash of what was read there. */
export async function findImportedPatients(
  read: Db,
  practiceId: number,
  externalIds: readonly number[],
): Promise<Map<number, string | null>> {
  const rows = await read.rows<{ external_id: number; source_fingerprint: string | null }>(sql`
    SELECT external_id, source_fingerprint FROM patient
    WHERE practice_id = ${practiceId} AND ${among(sql`external_id`, externalIds)}`);
  return new Map(rows.map((row) => [row.external_id, row.source_fingerprint]));
}

/** Which of these ids of legacy insurances in the other system a practice already has. */
export async function findImportedInsuranceIds(
  read: Db,
  practiceId: number,
  externalIds: readonly number[],
): Promise<Set<number>> {
  const rows = await read.rows<{ external_id: number }>(sql`
    SELECT external_id FROM patient_insurance
    WHERE practice_id = ${practiceId} AND ${among(sql`external_id`, externalIds)}`);
  return new Set(rows.map((row) => row.external_id));
}
