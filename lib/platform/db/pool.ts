import { Socket } from "node:net";
import pg from "pg";
import { config, SettingsError } from "@/lib/platform/config";
import { log } from "@/lib/platform/log";
import { processWide, property } from "@/lib/platform/objects";
import { checkConnection } from "./check-connection";
import { DatabaseClient } from "./client.mjs";
import { describeRejection } from "./pooler-problems.mjs";
import { SESSION_SETTINGS } from "./session-settings.mjs";

const INT8_ARRAY: number = 1016;
const parseInt8Array: (text: string) => string[] = pg.types.getTypeParser(INT8_ARRAY, "text");

/** Parse values into the form the API returns: 64-bit IDs as numbers, dates as `YYYY-MM-DD`, times as ISO 8601 in UTC. */
const parsers = new Map<number, (text: string) => unknown>([
  [20, Number],
  [INT8_ARRAY, (text) => parseInt8Array(text).map(Number)],
  [1082, (text) => text],
  [1184, toIsoTime],
]);

/** Converts `2026-11-21 09:41:35.06+00` to `2026-11-21T09:41:35.060Z`, so that times compare as text. */
function toIsoTime(text: string): string {
  const [time = "", fraction = ""] = text.slice(11, text.lastIndexOf("+")).split(".");
  return `${text.slice(0, 10)}T${time}.${fraction.padEnd(3, "0")}Z`;
}

const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(oid)) || pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

interface Pools {
  pool?: pg.Pool | undefined;
  probes?: pg.Pool | undefined;
  replica?: pg.Pool | undefined;
}

const shared = () => processWide<Pools>("crosswalkPool", () => ({}));

/** How long a request waits for a connection of the pool. */
export const POOL_TIMEOUT_MS = 10_000;

/** Returns the connection pool of this process. Waiting for a connection fails after 10 s. */
export function pool(): pg.Pool {
  const state = shared();
  state.pool ??= createPool({ connectionString: config().DATABASE_URL, connectionTimeoutMillis: POOL_TIMEOUT_MS });
  return state.pool;
}

/** Returns the pool of the probes, with one connection. A busy pool must not look like an unreachable database (ADR 0234). */
export function probePool(): pg.Pool {
  const state = shared();
  state.probes ??= createPool({ connectionString: config().DATABASE_URL, connectionTimeoutMillis: 3_000, max: 1 });
  return state.probes;
}

/** How long a statement may run on the replica. Then it runs again on the primary, where it has the time of `statement_timeout`. */
export const REPLICA_STATEMENT_TIMEOUT_MS = 10_000;

/** Returns the connection pool of the replica. Reads don't wait until it gives up on a connection. */
export function replicaPool(url: string): pg.Pool {
  const state = shared();
  const options = { connectionString: url, connectionTimeoutMillis: 3_000 };
  state.replica ??= createPool(options, REPLICA_STATEMENT_TIMEOUT_MS + 2_000);
  return state.replica;
}

/** Returns the pool of each server that this process reads from. */
export function openPools(): { server: "primary" | "replica"; pool: pg.Pool }[] {
  const { replica } = shared();
  return [{ server: "primary", pool: pool() }, ...(replica ? [{ server: "replica" as const, pool: replica }] : [])];
}

/** Longer than `statement_timeout`, so that only the server or the network can be the cause. */
const MAX_SILENCE_MS = 40_000;

function createPool(options: pg.PoolConfig, maxSilenceMs = MAX_SILENCE_MS): pg.Pool {
  const created = new pg.Pool({
    max: config().DATABASE_POOL_SIZE,
    ...options,
    // Connections stay open, because opening one can take a second on a busy machine.
    idleTimeoutMillis: 0,
    // A timer can use the database after `closePool`, which opens a new pool. It must not keep a command running.
    allowExitOnIdle: true,
    // A transaction sends statements without waiting for the results of earlier ones.
    pipeline: true,
    types,
    keepAlive: true,
    Client: DatabaseClient as unknown as new () => pg.ClientBase,
    options: sessionOptions(),
    onConnect: checkConnection,
  });
  created.on("connect", (client) => limitSilence(client, maxSilenceMs));
  created.on("error", (error) => log.warn({ err: error }, "an idle database connection was lost"));
  return created;
}

/** Returns the settings to send for each connection. A connection pooler accepts only the time zone; the role has the others. */
function sessionOptions(): string {
  const { TimeZone, ...others } = SESSION_SETTINGS;
  const sent = config().DIRECT_DATABASE_URL ? { TimeZone } : { TimeZone, ...others };
  return Object.entries(sent)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

/**
 * Closes a connection that stays silent for too long while a statement runs, because the network may have lost the response. The
 * `query_timeout` option of pg would start a timer for each statement.
 */
function limitSilence(client: pg.PoolClient, ms: number): void {
  const stream = client instanceof pg.Client ? client.connection.stream : null;
  if (!(stream instanceof Socket)) return;
  stream.setTimeout(ms);
  stream.on("timeout", () => {
    if (property(client, "readyForQuery") === false) stream.destroy(new Error("Query read timeout"));
  });
}

/**
 * Opens all connections of the pool. Those that fail are opened when they are needed.
 *
 * @throws SettingsError if something between this process and the database can't work
 */
export async function fillPool(): Promise<void> {
  for (const error of await openAll(pool())) {
    if (error instanceof SettingsError) throw error;
    const rejection = describeRejection(error);
    if (rejection) throw new SettingsError([rejection]);
  }
}

/** Opens all connections to the replica if there is one. */
export async function fillReplicaPool(): Promise<void> {
  const { DATABASE_REPLICA_URL: url } = config();
  const [error] = url === undefined ? [] : await openAll(replicaPool(url));
  if (error) log.warn({ err: error }, "the replica can't be used, so the primary serves its reads");
}

/** Opens all connections of a pool. Returns the errors. */
async function openAll(pool: pg.Pool): Promise<unknown[]> {
  const opening = await Promise.allSettled(Array.from({ length: config().DATABASE_POOL_SIZE }, () => pool.connect()));
  for (const opened of opening) if (opened.status === "fulfilled") opened.value.release();
  return opening.flatMap((opened) => (opened.status === "rejected" ? [opened.reason] : []));
}

/** Returns whether this process uses the database: it has opened the pool and not closed it. */
export function isPoolOpen(): boolean {
  return shared().pool !== undefined;
}

/** Closes the connections to the replica once they are free. A later use opens new ones, which can lead to another server. */
export function closeReplicaPool(): void {
  const state = shared();
  const open = state.replica;
  state.replica = undefined;
  void open?.end();
}

/** Closes the pools. A later use opens a new one. */
export async function closePool(): Promise<void> {
  const state = shared();
  const open = [state.pool, state.probes, state.replica];
  state.pool = undefined;
  state.probes = undefined;
  state.replica = undefined;
  await Promise.all(open.map((one) => one?.end()));
}
