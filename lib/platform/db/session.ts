import type pg from "pg";
import { config, SettingsError } from "@/lib/platform/config";
import { DatabaseClient, isDirect } from "./client.mjs";
import { DIRECT_URL_POOLED, DIRECT_URL_REQUIRED } from "./pooler-problems.mjs";

/**
 * Opens a separate connection, directly to PostgreSQL, for LISTEN and advisory locks, which outlive a transaction. A connection pooler would
 * hand them to other clients.
 *
 * @throws SettingsError if it points to a connection pooler
 */
export async function openSession(): Promise<pg.Client> {
  const { DATABASE_URL, DIRECT_DATABASE_URL } = config();
  const client = new DatabaseClient({ connectionString: DIRECT_DATABASE_URL ?? DATABASE_URL, keepAlive: true });
  client.on("error", () => {});
  try {
    await client.connect();
    if (!(await isDirect(client)))
      throw new SettingsError([DIRECT_DATABASE_URL ? DIRECT_URL_POOLED : DIRECT_URL_REQUIRED]);
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
}
