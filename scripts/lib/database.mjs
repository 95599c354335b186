// The database of a script: the one in DATABASE_URL, or the bundled one.
import fs from "node:fs";
import path from "node:path";
import { isDirect } from "../../lib/platform/db/client.mjs";
import { parseDatabaseUrl, WRITABLE } from "../../lib/platform/db/database-url.mjs";
import { DIRECT_URL_REQUIRED } from "../../lib/platform/db/pooler-problems.mjs";
import { warnOfExcessRights } from "./grants.mjs";
import { withLock } from "./lock.mjs";
import { readMigrations } from "./migration-files.mjs";
import { deploy, status } from "./migrations.mjs";
import { dataDir, inData } from "./paths.mjs";
import { asAdmin, recreateDatabase } from "./postgres.mjs";
import { Failure, say, step, UsageFailure } from "./progress.mjs";
import { setSessionDefaults, startWithRoles } from "./roles.mjs";
import { setDemoSettings } from "./settings.mjs";

/** Exists while the demo is written. The next start removes an incomplete demo. */
const seedingMark = () => inData("postgres.seeding");

/** PostgreSQL's insufficient_privilege. */
const MAY_NOT = "42501";

/**
 * Fails if the bundled database does not exist. Commands that need data would otherwise create an empty one and find nothing.
 */
export function requireDatabase() {
  if (process.env.DATABASE_URL) return;
  const folder = inData("postgres");
  if (fs.existsSync(path.join(folder, "PG_VERSION"))) return;
  const what = fs.existsSync(dataDir()) ? `no database in the data folder ${dataDir()}` : `no data folder ${dataDir()}`;
  const how = "Set CROSSWALK_DATA_DIR or DATABASE_URL to the data of your installation, or start it once: npm start";
  throw new UsageFailure(`there is ${what}. ${how}`);
}

/**
 * Starts the bundled database and sets DATABASE_URL, unless it is set. Removes the owner's URL from the environment, because neither
 * the server nor other programs need it.
 *
 * @returns {Promise<Database>}
 * @typedef {{ url: string, ownerUrl: string, embedded: boolean }} Database `url` has the server's role, `ownerUrl` the owner of
 *   the tables. With a single role, they are equal.
 */
export async function openDatabase() {
  const { DATABASE_URL: given, DIRECT_DATABASE_URL: direct, MIGRATION_DATABASE_URL: owner } = process.env;
  delete process.env.MIGRATION_DATABASE_URL;
  requireDatabaseUrls({ DATABASE_URL: given, DIRECT_DATABASE_URL: direct, MIGRATION_DATABASE_URL: owner });
  // Scripts lock and migrate, which a connection pooler does not support.
  const url = direct || given;
  if (given) return { url, ownerUrl: owner || url, embedded: false };
  if (owner) throw new Failure("MIGRATION_DATABASE_URL needs DATABASE_URL: the same database with the server's role");
  if (direct)
    throw new Failure("DIRECT_DATABASE_URL needs DATABASE_URL: the same database through a connection pooler");
  return openBundled();
}

function requireDatabaseUrls(settings) {
  for (const [name, url] of Object.entries(settings)) {
    try {
      if (url) parseDatabaseUrl(url, WRITABLE);
    } catch (error) {
      throw new Failure(`${name} ${error.message}`);
    }
  }
}

async function openBundled() {
  const { url, ownerUrl } = await step("Starting PostgreSQL", () => startWithRoles({ directory: inData("postgres") }));
  process.env.DATABASE_URL = url;
  return { url, ownerUrl, embedded: true };
}

/**
 * Applies pending migrations and grants the server's role its rights. If a later version has migrated the database, it takes no right from
 * the role and leaves its settings (ADR 0241).
 *
 * @param {Database} database
 */
export function migrate(database) {
  return applyMigrations(database).catch((error) => {
    if (error.code !== MAY_NOT) throw error;
    const hint =
      "Run npm run migrate -- deploy with MIGRATION_DATABASE_URL, the owner of the tables (docs/guides/database.md)";
    throw new Failure(`the database role lacks a permission: ${error.message}. ${hint}`);
  });
}

async function applyMigrations({ url, ownerUrl }) {
  const { pending, isOwner, warnings } = await status(ownerUrl);
  if (!isOwner && pending.length > 0) {
    throw new Failure(
      `${pending.length === 1 ? "1 migration is" : `${pending.length} migrations are`} pending, and only the owner of the tables ` +
        "can apply them: run npm run migrate -- deploy with MIGRATION_DATABASE_URL (docs/guides/database.md)",
    );
  }
  if (!isOwner) return { applied: [], warnings };
  const role = url === ownerUrl ? null : await findRole(url);
  const work = () => deploy(ownerUrl, undefined, role);
  const result =
    pending.length > 0
      ? await step(`Applying ${pending.length} ${pending.length === 1 ? "migration" : "migrations"}`, work)
      : await work();
  for (const warning of result.warnings) say(`! ${warning}`);
  if (result.rights && !result.isOutdated) await setSessionDefaults(url);
  return result;
}

/** Returns the server's role. */
async function findRole(url) {
  const { rows } = await asAdmin(url, async (client) => {
    if (!(await isDirect(client))) throw new Failure(DIRECT_URL_REQUIRED);
    return client.query("select current_user as role");
  });
  return rows[0].role;
}

/**
 * Warns if the server's role could rewrite history.
 *
 * @param {Database} database
 */
export async function warnOfRole({ url }) {
  const warning = await asAdmin(url, warnOfExcessRights);
  if (warning) say(`! ${warning}`);
}

/**
 * Applies pending migrations, and writes the demo into a new bundled database or one with an incomplete demo.
 * @param {Database} database
 * @param {{ demo: boolean | undefined, seed: (() => Promise<void>) | null }} options `demo`: the user's choice; undefined if
 *   only a new database gets the demo
 */
export function migrateAndSeed(database, options) {
  // If two processes start at once, the second must not remove the demo that the first is writing.
  if (!database.embedded) return prepare(database, options);
  return withLock(`${seedingMark()}.lock`, () => prepare(database, options));
}

async function prepare(database, { demo, seed }) {
  const { ownerUrl, embedded } = database;
  const mark = seedingMark();
  const cutShort = embedded && fs.existsSync(mark);
  if (cutShort) await step("Removing an incomplete demo", () => recreateDatabase(ownerUrl));
  const isNew = embedded && readMigrations().length > 0 && (await status(ownerUrl)).done.length === 0;
  const wanted = seed && (demo ?? isNew);
  // Marked before the migrations, because a start that is killed between them and the demo leaves an incomplete one, too.
  if (wanted && isNew) fs.writeFileSync(mark, "");
  await migrate(database);
  if (wanted) await step("Writing the demo", seed);
  fs.rmSync(mark, { force: true });
}

/**
 * Applies the settings of the demo if this database has it. demo.json alone does not show that: it may belong to another database of
 * the same data folder.
 *
 * @param {Database} database with migrations applied
 * @returns {Promise<{ file: string, clients: { client_id: string }[], staff?: { email: string }[] } | null>} its accounts
 */
export async function loadDemo({ url }) {
  const file = inData("demo.json");
  const demo = readDemo(file);
  if (!Array.isArray(demo?.clients)) return null;
  const ids = demo.clients.map((client) => String(client?.client_id));
  const { rowCount } = await asAdmin(url, (client) =>
    client.query("select 1 from oauth_client where client_id = any($1) limit 1", [ids]),
  );
  if (rowCount === 0) return null;
  setDemoSettings();
  return { ...demo, file };
}

/**
 * Returns whether anyone can sign in.
 *
 * @param {Database} database with migrations applied
 */
export async function hasAccounts({ url }) {
  const { rows } = await asAdmin(url, (client) => client.query("select exists (select from staff_user) as found"));
  return rows[0].found;
}

function readDemo(file) {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}
