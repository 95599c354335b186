import type { Access } from "@/lib/access/identity/access";
import { inList } from "@/lib/platform/db/page";
import { db, sql } from "@/lib/platform/db/sql";

/** How the stream of one practice stands. */
export interface ReplicationState {
  pending: number;
  failed: number;
  /** Patients whose two sides do not agree yet. */
  unsettled: number;
  /** When the longest waiting change was made, ISO 8601; null while nothing waits. */
  oldest: string | null;
}

/** The streams of the caller's practices, by practice; one where nothing is open is left out. */
export async function listReplicationStates(access: Access): Promise<Map<number, ReplicationState>> {
  const rows = await db.rows<ReplicationState & { practice_id: number }>(sql`
    SELECT practice_id, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'failed') AS failed, count(DISTINCT patient_id) AS unsettled,
      min(created_date) FILTER (WHERE status = 'pending') AS oldest
    FROM replication_event WHERE status IN ('pending', 'failed') AND ${inList(sql`practice_id`, access.practices)}
    GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, ...state }) => [practice_id, state]));
}
