import { db, join, raw, sql } from "@/lib/db/sql";

/**
 * What a request may leave behind that is no record: its own bookkeeping, and counters of sequences. A dry run shows
 * patient data, and what is shown is audited. Counts of use are written whenever their time comes.
 */
const BOOKKEEPING = [
  "idempotency_key",
  "audit_entry",
  "audit_chain",
  "legacy_use",
  "client_use",
  "policy_use",
  "_prisma_migrations",
];

let tables: string[] | undefined;

/** A digest of every row of every table, by table: equal before and after where nothing was written. */
export async function snapshot(): Promise<Record<string, string>> {
  tables ??= (
    await db.rows<{ name: string }>(sql`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY table_name`)
  )
    .map(({ name }) => name)
    .filter((name) => !BOOKKEEPING.includes(name));
  const digests = tables.map(
    (name) => sql`
      SELECT ${name}::text AS name, count(*) || ' ' || coalesce(md5(string_agg(t::text, chr(10) ORDER BY t::text)), '') AS rows
      FROM ${raw(`"${name}"`)} t`,
  );
  const rows = await db.rows<{ name: string; rows: string }>(join(digests, " UNION ALL "));
  return Object.fromEntries(rows.map(({ name, rows: digest }) => [name, digest]));
}
