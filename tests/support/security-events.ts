// Security events as they are stored in the audit of a practice and of the installation.
import type { SecurityDetail, SecurityEventName } from "@/lib/access/audit/events";
import { flushSecurityEvents } from "@/lib/access/audit/security-commands";
import { db, sql } from "@/lib/platform/db/sql";

/** The chain of events that belong to no practice. */
export const INSTALLATION = 0;

export interface StoredEvent {
  operation: SecurityEventName;
  actor_type: string;
  actor_id: number | null;
  path: string | null;
  address: string | null;
  detail: SecurityDetail;
}

/** Lists the security events of one chain, oldest first, after the entry with this ID. */
export async function listSecurityEvents(practice: number, after = 0): Promise<StoredEvent[]> {
  return db.rows<StoredEvent>(sql`
    SELECT operation, actor_type, actor_id, path, address, detail FROM audit_log
    WHERE practice_id = ${practice} AND kind = 'security' AND id > ${after} ORDER BY id`);
}

/** Lists the security events that some work adds to a chain, including repeated ones. */
export async function securityEventsOf(practice: number, work: () => Promise<unknown>): Promise<StoredEvent[]> {
  await flushSecurityEvents();
  const before = await db.one<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM audit_log`);
  await work();
  await flushSecurityEvents();
  return listSecurityEvents(practice, before.id);
}
