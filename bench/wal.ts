import { asAdmin } from "@/scripts/lib/postgres.mjs";

/** Returns how many bytes PostgreSQL has written to its log so far, for all of its databases. */
export function readWal(url = process.env.DATABASE_URL ?? ""): Promise<number> {
  return asAdmin(url, async (client) => {
    const { rows } = await client.query<{ bytes: number }>(
      "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes",
    );
    return rows[0]?.bytes ?? 0;
  });
}
