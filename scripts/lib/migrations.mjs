// Applies prisma/migrations without Prisma's native engine. It uses Prisma's table, so `prisma migrate` works, too.
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isDirect } from "../../lib/platform/db/client.mjs";
import { parseDatabaseUrl } from "../../lib/platform/db/database-url.mjs";
import { describeSystemFailure } from "../../lib/platform/system-failure.mjs";
import { applyGrants } from "./apply-grants.mjs";
import { readMigrations } from "./migration-files.mjs";
import { asAdmin } from "./postgres.mjs";
import { Failure } from "./progress.mjs";

const OLDEST_SERVER = 140_000;
/** Other statements on a table queue behind a migration that waits for its lock, so it waits only briefly, but often. */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_ATTEMPTS = 60;
const PAUSE_MS = 500;
/** PostgreSQL's lock_not_available and deadlock_detected. */
const LOCK_TAKEN = ["55P03", "40P01"];
/** The lock key of `prisma migrate deploy`, so that ours and Prisma's never run at the same time. */
const LOCK_KEY = 72_707_369;
const POOLED =
  "migrations can't go through a connection pooler such as PgBouncer, which loses their lock: set MIGRATION_DATABASE_URL or " +
  "DIRECT_DATABASE_URL to the URL of PostgreSQL itself (docs/guides/database.md)";
const TABLE = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;

/**
 * Applies pending migrations, each in one transaction with its record and the rights of the server's role, where PostgreSQL allows it. So
 * no process finds a migration applied and lacks its rights. Processes that start at the same time wait for each other.
 *
 * @param {string} url of the owner of the tables
 * @param {ReturnType<typeof readMigrations>} [migrations]
 * @param {string | null} [role] the server's role. It gets no rights if it can act as the owner
 * @returns {Promise<{ applied: string[], before: number, isOutdated: boolean, rights: string[] | null, warnings: string[] }>}
 *   `before`: how many had been applied already; `isOutdated`: a later version has migrated the database; `rights`: the statements that
 *   the role needed after the migrations, or null if it gets no rights
 */
export function deploy(url, migrations = readMigrations(), role = null) {
  return connected(url, async (client) => {
    if (!(await isDirect(client))) throw new Failure(POOLED);
    await takeTurn(client);
    await client.query(TABLE);
    const { pending, done, isOutdated, warnings } = await compare(client, migrations);
    const getsRights = role !== null && !(await actsAsOwner(client, role));
    const grant = async () => (getsRights ? applyGrants(client, role, { canRevoke: !isOutdated }) : null);
    for (const migration of pending) await apply(client, migration, grant);
    const rights = await inTransaction(client, grant);
    return { applied: pending.map(({ name }) => name), before: done.length, isOutdated, rights, warnings };
  });
}

/** Returns whether a role owns the tables. It can always grant itself more rights. A warning at start says so. */
async function actsAsOwner(client, role) {
  const { rows } = await client.query(
    "select pg_has_role($1::name, relowner, 'MEMBER') as owns from pg_class where oid = '_prisma_migrations'::regclass",
    [role],
  );
  return rows[0].owns;
}

/**
 * Waits for other processes. It polls, because a statement that waits for the lock holds a snapshot, and creating an index concurrently waits for
 * old snapshots.
 */
async function takeTurn(client) {
  for (;;) {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as taken", [LOCK_KEY]);
    if (rows[0].taken) return;
    await setTimeout(PAUSE_MS / 5);
  }
}

/** Reads which migrations are applied and pending, warnings, and whether this role can apply them. */
export function status(url, migrations = readMigrations()) {
  return connected(url, async (client) => {
    const { rows } = await client.query(
      "select pg_has_role(relowner, 'MEMBER') as \"isOwner\" from pg_class where oid = to_regclass('_prisma_migrations')",
    );
    if (rows.length === 0) return { done: [], pending: migrations, warnings: [], isOwner: true };
    return { ...(await compare(client, migrations)), ...rows[0] };
  });
}

async function compare(client, migrations) {
  const { rows } = await client.query(
    `select migration_name as name, checksum, finished_at from "_prisma_migrations" where rolled_back_at is null`,
  );
  const failed = rows.find((row) => row.finished_at === null);
  if (failed) throw new Failure(`migration ${failed.name} failed in another tool. See "prisma migrate resolve"`);
  const known = new Map(rows.map((row) => [row.name, row.checksum]));
  const names = new Set(migrations.map(({ name }) => name));
  const changed = migrations.filter(({ name, checksum }) => known.has(name) && known.get(name) !== checksum);
  const unknown = [...known.keys()].filter((name) => !names.has(name));
  return {
    done: migrations.filter(({ name }) => known.has(name)),
    pending: migrations.filter(({ name }) => !known.has(name)),
    isOutdated: unknown.length > 0,
    warnings: [
      ...changed.map(({ name }) => `migration ${name} was changed after it was applied`),
      ...unknown.map((name) => `the database has an unknown migration: ${name}`),
    ],
  };
}

/** Applies a migration and the rights that belong to it. Retries while other transactions lock its tables. */
async function apply(client, migration, grant) {
  const index = concurrentIndex(migration);
  if (index) return changeIndex(client, migration, index, grant);
  for (let attempt = 1; ; attempt++) {
    const taken = await attemptMigration(client, migration, grant);
    if (!taken) return;
    if (attempt === LOCK_ATTEMPTS) {
      const what = "other transactions lock its tables the whole time. End long transactions, and try again";
      throw new Failure(`migration ${migration.name}: ${what}`);
    }
    await setTimeout(PAUSE_MS);
  }
}

/** Returns whether a lock was not available in time. Then nothing was changed. */
async function attemptMigration(client, migration, grant) {
  try {
    await inTransaction(client, async () => {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query(migration.sql);
      await grant();
      await recordApplied(client, migration);
    });
    return false;
  } catch (error) {
    if (LOCK_TAKEN.includes(error.code)) return true;
    throw describeFailure(migration, error);
  }
}

async function inTransaction(client, work) {
  await client.query("begin");
  try {
    const result = await work();
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

function recordApplied(client, { name, checksum }) {
  return client.query(
    `insert into "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
     values ($1, $2, $3, clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

function describeFailure({ name, sql }, error) {
  const line = error.position ? ` (line ${sql.slice(0, Number(error.position)).split("\n").length})` : "";
  return new Failure(`migration ${name}${line}: ${error.message}`);
}

/** Returns the name of the index if a migration creates or drops one without blocking writes, which must be its only statement. */
export function concurrentIndex({ sql }) {
  const statement = sql.replace(/^--.*\n/gm, "").trim();
  const change =
    /^(?:create (?:unique )?index concurrently if not exists|drop index concurrently if exists) (\w+)\b[^;]*;?$/is;
  return change.exec(statement)?.[1] ?? null;
}

/** PostgreSQL can't do it in a transaction. If it is interrupted, the next attempt starts over. */
async function changeIndex(client, migration, index, grant) {
  try {
    const { rows } = await client.query("select from pg_index where indexrelid = to_regclass($1) and not indisvalid", [
      index,
    ]);
    if (rows.length > 0) await client.query(`drop index concurrently ${index}`);
    await client.query(migration.sql);
    await inTransaction(client, async () => {
      await grant();
      await recordApplied(client, migration);
    });
  } catch (error) {
    throw describeFailure(migration, error);
  }
}

/** Connects, or throws a Failure with the reason in one line. */
async function connected(url, work) {
  let reached = false;
  try {
    return await asAdmin(url, async (client) => {
      reached = true;
      const { rows } = await client.query("show server_version_num");
      if (Number(rows[0].server_version_num) < OLDEST_SERVER) throw new Failure("PostgreSQL 14 or later is required");
      return await work(client);
    });
  } catch (error) {
    if (reached) throw error;
    const message = describeSystemFailure(error, { databaseUrl: url });
    throw new Failure(
      message ??
        `The database at ${parseDatabaseUrl(url).place} can't be reached: ${error.message || error.code || "no response"}`,
    );
  }
}
