import type { Access } from "@/lib/access/identity/access";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** The state of replication in one practice. */
export interface ReplicationState {
  pending: number;
  failed: number;
  /** Number of patients whose stores are not in sync yet. */
  unsettled: number;
  /** When the oldest pending event was written, ISO 8601; null if none is pending. */
  oldest: string | null;
}

/** Returns the state of replication by practice, for the caller's practices that have open events. */
export async function listReplicationStates(access: Access): Promise<Map<number, ReplicationState>> {
  const rows = await db.rows<ReplicationState & { practice_id: number }>(sql`
    SELECT practice_id, count(*) FILTER (WHERE status = 'pending') AS pending,
      count(*) FILTER (WHERE status = 'failed') AS failed, count(DISTINCT patient_id) AS unsettled,
      min(created_date) FILTER (WHERE status = 'pending') AS oldest
    FROM replication_event WHERE status IN ('pending', 'failed') AND ${inList(sql`practice_id`, access.practices)}
    GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, ...state }) => [practice_id, state]));
}
