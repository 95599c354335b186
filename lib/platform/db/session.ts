import type pg from "pg";
import { config, SettingsError } from "@/lib/platform/config";
import { DatabaseClient, isDirect } from "./client.mjs";
import { DIRECT_URL_POOLED, DIRECT_URL_REQUIRED } from "./pooler-problems.mjs";

/**
 * Opens a connection of its own for what lasts longer than a transaction: LISTEN and advisory locks. A connection pooler would give them
 * to other clients, so it leads to PostgreSQL itself.
 *
 * @throws SettingsError if it leads to a connection pooler
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
