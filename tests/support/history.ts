import { db, sql } from "@/lib/platform/db/sql";

export interface HistoryEntry {
  version: number;
  kind: string;
  changes: Record<string, { old: unknown; new: unknown }>;
  source: string;
  reason: string | null;
}

/** Reads the versions of a practice-level record in record_version, oldest first. */
export function historyOf(type: string, id: number): Promise<HistoryEntry[]> {
  return db.rows<HistoryEntry>(sql`
    SELECT version, kind, changes, source, reason FROM record_version
    WHERE record_type = ${type} AND record_id = ${id} ORDER BY version`);
}
