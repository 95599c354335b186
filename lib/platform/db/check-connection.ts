import pg from "pg";
import { SettingsError } from "@/lib/platform/config";
import { property } from "@/lib/platform/objects";
import { isDirect } from "./client.mjs";
import { listWrongSettings } from "./session-settings.mjs";

const GUIDE = "(docs/guides/database.md)";
const NEEDED = `PgBouncer 1.21 or newer with max_prepared_statements is required ${GUIDE}`;
/** The problem of a pooler at DATABASE_URL without a direct URL. */
export const DIRECT_URL_REQUIRED = `DIRECT_DATABASE_URL is required, because DATABASE_URL leads to a connection pooler, such as PgBouncer: set it to the URL of PostgreSQL itself ${GUIDE}`;
const PROBE = "crosswalk_probe";
/** PostgreSQL's duplicate_prepared_statement: another client has used the name on this connection. */
const DUPLICATE = "42P05";

/**
 * Checks a new connection of the pool, which can lead through a connection pooler: its settings, and whether prepared statements work.
 *
 * @throws SettingsError
 */
export async function checkConnection(client: pg.ClientBase): Promise<void> {
  const isPooled = client instanceof pg.Client && !(await isDirect(client));
  const wrong = await listWrongSettings(client);
  if (wrong.length > 0) throw new SettingsError([describeSettings(wrong)]);
  if (isPooled && !(await canPrepare(client)))
    throw new SettingsError([
      `DATABASE_URL leads to a connection pooler that does not support prepared statements: ${NEEDED}`,
    ]);
}

function describeSettings(wrong: readonly string[]): string {
  const how =
    "PgBouncer does not pass settings on, so the role needs them: run npm run migrate -- deploy with MIGRATION_DATABASE_URL, then RECONNECT in PgBouncer";
  return `The database sessions of DATABASE_URL have wrong settings: ${wrong.join(", ")}. ${how} ${GUIDE}`;
}

/**
 * Returns whether the pooler manages prepared statements. Then PostgreSQL knows them by a name of the pooler. Otherwise, it knows our name,
 * on the one connection on which the statement was prepared.
 */
async function canPrepare(client: pg.ClientBase): Promise<boolean> {
  const text = "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name = $1";
  try {
    const { rows } = await client.query({ name: PROBE, text, values: [PROBE] });
    return rows[0].count === 0;
  } catch (error) {
    if (property(error, "code") === DUPLICATE) return false;
    throw error;
  }
}

/** Returns the reason if a pooler rejects a connection, because it does not know the settings that a client sends, or null. */
export function describeRejection(error: unknown): string | null {
  const message = error instanceof Error ? error.message : "";
  const [, parameter] = /^unsupported startup parameter(?: in options)?: (\w+)/.exec(message) ?? [];
  if (parameter === undefined) return null;
  if (parameter !== "options") return DIRECT_URL_REQUIRED;
  return `DATABASE_URL leads to a connection pooler that is too old: ${NEEDED}`;
}
