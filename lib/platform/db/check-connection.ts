import pg from "pg";
import { SettingsError } from "@/lib/platform/config";
import { property } from "@/lib/platform/objects";
import { isDirect } from "./client.mjs";
import { describeWrongSettings, NO_PREPARED_STATEMENTS } from "./pooler-problems.mjs";
import { listWrongSettings } from "./session-settings.mjs";

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
  if (wrong.length > 0) throw new SettingsError([describeWrongSettings(wrong)]);
  if (isPooled && !(await canPrepare(client))) throw new SettingsError([NO_PREPARED_STATEMENTS]);
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
