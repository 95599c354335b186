import { db, join, raw, sql } from "@/lib/platform/db/sql";

/**
 * Tables that a rejected request may write: bookkeeping, and counters of sequences. A dry run shows patient data, which is
 * audited, and usage counts are written periodically.
 */
const BOOKKEEPING = [
  "idempotency_key",
  "audit_pending",
  "audit_entry",
  "audit_block",
  "legacy_usage",
  "client_usage",
  "policy_usage",
  "_prisma_migrations",
];

let tables: string[] | undefined;

/**
 * Reads each table's row count and the last transaction that wrote to it: equal before and after only if nothing
 * was written, not even the same values. (A write that was rolled back leaves no visible row.)
 */
export async function snapshot(): Promise<Record<string, string>> {
  tables ??= (
    await db.rows<{ name: string }>(sql`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`)
  )
    .map(({ name }) => name)
    .filter((name) => !BOOKKEEPING.includes(name));
  const counts = tables.map(
    (name) => sql`
      SELECT ${name}::text AS name, count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) AS rows
      FROM ${raw(`"${name}"`)}`,
  );
  const rows = await db.rows<{ name: string; rows: string }>(join(counts, " UNION ALL "));
  return Object.fromEntries(rows.map(({ name, rows: written }) => [name, written]));
}
