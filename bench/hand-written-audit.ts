// The audit of the hand-written server. A write adds its entry in its own transaction. A read adds its entry before the response, and
// concurrent reads share an INSERT.
import { pool, query, type Write } from "./hand-written-db";

export interface AuditEntry {
  kind: "read" | "change";
  patients: number[];
  actor: { type: string; id: number; name: string };
  operation: string;
  path: string;
  address: string;
  source: string;
  requestId: string;
}

const INSERT = `INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
    source, address, request_id)
  SELECT p.practice_id, $2, (e.actor->>'type')::actor_type, (e.actor->>'id')::bigint, e.actor->>'name', e.kind, e.operation, e.path,
    e.patients, e.source, e.address, e."requestId"
  FROM jsonb_to_recordset($1) AS e(kind audit_kind, patients bigint[], actor jsonb, operation text, path text, address text,
    source text, "requestId" text) JOIN patient p ON p.id = e.patients[1]`;

/** Returns the statement for the entry of a change to a patient of the practice. */
export function changeEntry(
  practice: number,
  { kind, patients, actor, operation, path, address, source, requestId }: AuditEntry,
): Write {
  return [
    `INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients, source,
       address, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      practice,
      new Date(),
      actor.type,
      actor.id,
      actor.name,
      kind,
      operation,
      path,
      patients,
      source,
      address,
      requestId,
    ],
  ];
}

let waiting: AuditEntry[] = [];
let batch: Promise<void> | null = null;

export async function auditRead(entry: AuditEntry): Promise<void> {
  waiting.push(entry);
  batch ??= (async () => {
    await running;
    const entries = waiting;
    waiting = [];
    batch = null;
    running = query(pool, INSERT, [JSON.stringify(entries), new Date()]);
    await running;
  })();
  return batch;
}

let running: Promise<unknown> = Promise.resolve();
