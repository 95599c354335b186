// The two roles of the database: the owner of the tables, which migrates them, and the server's role.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { withLogin } from "../../lib/platform/db/database-url.mjs";
import { listWrongSettings, SESSION_SETTINGS } from "../../lib/platform/db/session-settings.mjs";
import { asAdmin, startPostgres } from "./postgres.mjs";

/** The server's role in the bundled database. */
export const RUNTIME_ROLE = "crosswalk_app";
const ATTRIBUTES = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT";
const WRONG_LOGIN = new Set(["28P01", "28000", "3D000"]);

/**
 * Creates the role if it does not exist, and makes sure that it can log in with this password and has no attributes of an administrator.
 *
 * @param {string} url of a superuser
 * @param {{ role: string, password: string }} login
 * @returns {Promise<string>} the URL of the same database for this role
 */
export async function ensureRole(url, { role, password }) {
  const own = withLogin(url, { user: role, password });
  if (await canLogIn(own)) return own;
  await asAdmin(url, async (client) => {
    const name = client.escapeIdentifier(role);
    const { rowCount } = await client.query("select 1 from pg_roles where rolname = $1", [role]);
    const statement = `${rowCount ? "ALTER" : "CREATE"} ROLE ${name} ${ATTRIBUTES} PASSWORD ${client.escapeLiteral(password)}`;
    // PostgreSQL would log a failed statement with its password.
    await client.query("set log_min_error_statement = panic");
    await client.query(statement);
  });
  return own;
}

async function canLogIn(url) {
  try {
    return await asAdmin(url, async (client) => {
      const { rows } = await client.query(
        `select not (rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls) as plain
         from pg_roles where rolname = current_user`,
      );
      return rows[0].plain;
    });
  } catch (error) {
    if (WRONG_LOGIN.has(error.code)) return false;
    throw error;
  }
}

/**
 * Makes the settings of a session the defaults of the server's role in this database, because a connection pooler does not pass them on.
 *
 * @param {string} url with the server's role, which may set its own defaults
 */
export async function setSessionDefaults(url) {
  await asAdmin(url, async (client) => {
    if ((await listWrongSettings(client, SESSION_SETTINGS)).length === 0) return;
    const { rows } = await client.query("select current_database() as name");
    const role = `alter role current_user in database ${client.escapeIdentifier(rows[0].name)}`;
    const statements = Object.entries(SESSION_SETTINGS).map(([name, value]) => `${role} set ${name} = '${value}'`);
    // One transaction. Processes that start at once would otherwise update the same row.
    const lock = "select pg_advisory_xact_lock(hashtextextended('crosswalk session settings', 0))";
    await client.query([lock, ...statements].join("; "));
  });
}

/** Reads a password from a file that only its owner can read. The first call generates it. */
export function readOrCreatePassword(file) {
  if (!fs.existsSync(file)) fs.writeFileSync(file, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  return fs.readFileSync(file, "utf8").trim();
}

/**
 * Starts a cluster (see `startPostgres`) and creates the server's role in it, which a cluster of an older version may lack.
 *
 * @param {{ directory: string, database?: string, settings?: Record<string, string | number> }} cluster
 * @returns {Promise<{ url: string, ownerUrl: string, release: () => Promise<void> }>} `url` has the server's role
 */
export async function startWithRoles(cluster) {
  let url = "";
  const prepare = async (ownerUrl) => {
    const password = readOrCreatePassword(`${cluster.directory}.app-password`);
    url = await ensureRole(ownerUrl, { role: RUNTIME_ROLE, password });
  };
  const { url: ownerUrl, release } = await startPostgres({ ...cluster, prepare });
  return { url, ownerUrl, release };
}
