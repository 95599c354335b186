import pg from "pg";
import { config } from "@/lib/platform/config";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/objects";

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

const shared = () => processWide<{ pool?: pg.Pool | undefined }>("crosswalkPool", () => ({}));

/** Returns the connection pool of this process, which Prisma and our SQL share. Waiting for a connection fails after 10 s. */
export function pool(): pg.Pool {
  const state = shared();
  state.pool ??= createPool();
  return state.pool;
}

function createPool(): pg.Pool {
  const created = new pg.Pool({
    connectionString: config().DATABASE_URL,
    max: config().DATABASE_POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    // Connections stay open, because opening one can take a second on a busy machine.
    idleTimeoutMillis: 0,
    types,
    // Ends the wait for a response that the network lost.
    query_timeout: 40_000,
    keepAlive: true,
    options:
      "-c TimeZone=UTC -c statement_timeout=30000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=60000",
  });
  created.on("error", (error) => log.warn({ err: error }, "an idle database connection was lost"));
  return created;
}

/** Opens all connections of the pool. Those that fail are opened when they are needed. */
export async function fillPool(): Promise<void> {
  const opening = Array.from({ length: config().DATABASE_POOL_SIZE }, () => pool().connect());
  for (const opened of await Promise.allSettled(opening)) {
    if (opened.status === "fulfilled") opened.value.release();
  }
}

/** Closes the pool. A later use opens a new one. */
export async function closePool(): Promise<void> {
  const state = shared();
  const open = state.pool;
  state.pool = undefined;
  await open?.end();
}
