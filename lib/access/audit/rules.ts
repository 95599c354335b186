import { createHash } from "node:crypto";
import type { Row } from "@/lib/platform/db/rows";

/** An entry as stored (design §9). Ids are integers, times ISO 8601 UTC with milliseconds. Patients and hashes are null only where somebody altered the table. */
export interface AuditEntry extends Omit<Row<"audit_entry">, "patients" | "detail" | "prev_hash" | "hash"> {
  patients: number[] | null;
  /** Of a security event: JSON as PostgreSQL writes it. */
  detail: string | null;
  prev_hash: Buffer | null;
  hash: Buffer | null;
}

/**
 * The hash an entry must have after an entry with `previous`: SHA-256 over its fields, each with its length in bytes before
 * it. The trigger `audit_entry_chain` makes it in the database; this is the same rule once more, so that a changed trigger
 * is found too.
 */
export function hashOf(entry: AuditEntry, previous: Buffer): Buffer {
  const fields = [
    previous.toString("hex"),
    ...[entry.practice_id, entry.seq, entry.occurred_date],
    ...[entry.actor_type, entry.actor_id, entry.actor_name, entry.kind, entry.operation, entry.path],
    ...[entry.patients?.join(",") ?? null, entry.source, entry.address, entry.reason, entry.request_id],
    // Entries from before there were security events have no detail, and their hashes know of none.
    ...(entry.detail === null ? [] : [entry.detail]),
  ];
  return createHash("sha256").update(fields.map(toField).join("")).digest();
}

function toField(value: string | number | null): string {
  return value === null ? "-" : `${Buffer.byteLength(String(value))}:${value}`;
}

/** What is wrong with an entry at this place after `previous`, or null. */
export function entryProblem(entry: AuditEntry, expected: { seq: number; previous: Buffer }): string | null {
  if (entry.seq !== expected.seq) return `entry ${expected.seq} is missing`;
  if (!entry.prev_hash?.equals(expected.previous)) return "it does not follow the entry before it";
  return entry.hash?.equals(hashOf(entry, expected.previous)) ? null : "its content is not what was written";
}
