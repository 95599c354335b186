import type pg from "pg";
import { config, SettingsError } from "@/lib/platform/config";
import { closeClient, DatabaseClient, isDirect } from "./client.mjs";
import { DIRECT_URL_POOLED, DIRECT_URL_REQUIRED } from "./pooler-problems.mjs";

/**
 * A session holds its locks until PostgreSQL notices that its client is gone. If the client's machine is lost, it would notice after two hours
 * by default, and with these settings after 25 s.
 */
const DETECT_LOST_CLIENTS =
  "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

/** The same for this side: an idle session notices after 20 s that the server's machine is lost, and a statement after 10 s. */
const DETECT_LOST_SERVER = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 10_000,
  query_timeout: 10_000,
};

/**
 * Opens a separate connection, directly to PostgreSQL, for LISTEN and advisory locks, which outlive a transaction. A connection pooler would
 * hand them to other clients.
 *
 * @throws SettingsError if it points to a connection pooler
 */
export async function openSession(): Promise<pg.Client> {
  const { DATABASE_URL, DIRECT_DATABASE_URL } = config();
  const client = new DatabaseClient({ connectionString: DIRECT_DATABASE_URL ?? DATABASE_URL, ...DETECT_LOST_SERVER });
  client.on("error", () => {});
  try {
    await client.connect();
    if (!(await isDirect(client)))
      throw new SettingsError([DIRECT_DATABASE_URL ? DIRECT_URL_POOLED : DIRECT_URL_REQUIRED]);
    await client.query(DETECT_LOST_CLIENTS);
    return client;
  } catch (error) {
    await closeClient(client);
    throw error;
  }
}
