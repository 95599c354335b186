import fs from "node:fs";
import path from "node:path";
import type pg from "pg";
import type { Kept } from "./costs";

/** The rows of a table, and the bytes of its rows, indexes and large values. Partitions count for their table. */
export interface TableSize {
  rows: number;
  bytes: number;
}

export type TableSizes = ReadonlyMap<string, TableSize>;

/** Tables whose rows housekeeping deletes after 30 days or sooner. */
const SHORT_LIVED = [
  "client_usage",
  "failed_sign_in",
  "idempotency_key",
  "legacy_usage",
  "oauth_token",
  "policy_usage",
  "published_event",
  "replication_event",
  "webhook_attempt",
];

/** Waits until the audit entries of earlier requests are sealed, which moves them to another table. */
export async function waitUntilSealed(client: pg.Client): Promise<void> {
  while (await hasUnsealed(client)) await new Promise((resolve) => setTimeout(resolve, 200));
}

/** Reads all tables. */
export async function readTables(client: pg.Client): Promise<TableSizes> {
  await waitUntilSealed(client);
  const { rows } = await client.query<{ leaf: string; name: string; bytes: number }>(
    `SELECT c.oid::regclass::text AS leaf, coalesce(i.inhparent, c.oid)::regclass::text AS name,
       pg_total_relation_size(c.oid)::float8 AS bytes
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`,
  );
  const sizes = new Map<string, TableSize>();
  for (const { leaf, name, bytes } of rows) {
    const { rows: counted } = await client.query<{ rows: number }>(`SELECT count(*)::float8 AS rows FROM ${leaf}`);
    const { rows: before, bytes: others } = sizes.get(name) ?? { rows: 0, bytes: 0 };
    sizes.set(name, { rows: before + (counted[0]?.rows ?? 0), bytes: others + bytes });
  }
  return sizes;
}

async function hasUnsealed(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>("SELECT EXISTS (SELECT FROM audit_pending) AS found");
  return rows[0]?.found ?? false;
}

/** Returns the average bytes of a row of each table that has enough rows for an average, with its share of the indexes. */
export function bytesPerRow(sizes: TableSizes): ReadonlyMap<string, number> {
  const known = [...sizes].filter(([, { rows }]) => rows >= 1_000);
  return new Map(known.map(([name, { rows, bytes }]) => [name, bytes / rows]));
}

/**
 * Returns the bytes that the rows added between two readings take, by how long they are kept. Space that PostgreSQL reuses later, such as
 * that of old row versions, does not count.
 *
 * @param perRow the bytes of a row. Tables without an average are left out
 */
export function keptBytes(before: TableSizes, after: TableSizes, perRow: ReadonlyMap<string, number>): Kept {
  const kept = { records: 0, audit: 0, shortLived: 0 };
  for (const [name, { rows }] of after) {
    const bytes = (rows - (before.get(name)?.rows ?? 0)) * (perRow.get(name) ?? 0);
    const kind = name.startsWith("audit_") ? "audit" : SHORT_LIVED.includes(name) ? "shortLived" : "records";
    kept[kind] += bytes;
  }
  return kept;
}

/** Samples the busy connections of a database until it is stopped. `stop` returns their average. */
export function watchConnections(client: pg.Client, database: string): { stop: () => Promise<number> } {
  const counts: number[] = [];
  let isStopped = false;
  const sampling = (async () => {
    while (!isStopped) {
      const { rows } = await client.query<{ busy: number }>(
        `SELECT count(*)::int AS busy FROM pg_stat_activity
         WHERE datname = $1 AND state <> 'idle' AND backend_type = 'client backend' AND pid <> pg_backend_pid()`,
        [database],
      );
      counts.push(rows[0]?.busy ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await sampling;
      return counts.reduce((sum, count) => sum + count, 0) / Math.max(1, counts.length);
    },
  };
}

/** Returns the bytes of the files in a folder and the folders in it. */
export function folderBytes(folder: string): number {
  if (!fs.existsSync(folder)) return 0;
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => fs.statSync(path.join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
