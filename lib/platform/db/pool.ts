import pg from "pg";
import { config } from "@/lib/platform/config";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/process-wide";

const INT8_ARRAY: number = 1016;
const parseInt8Array: (text: string) => string[] = pg.types.getTypeParser(INT8_ARRAY, "text");

/**
 * One pool a process, shared by Prisma and by the SQL of the write paths.
 *
 * Values are read as the API writes them: 64-bit ids as JSON integers, dates as `YYYY-MM-DD`, times as ISO 8601 UTC.
 */
const parsers = new Map<number, (text: string) => unknown>([
  [20, Number],
  [INT8_ARRAY, (text) => parseInt8Array(text).map(Number)],
  [1082, (text) => text],
  [1184, toIsoTime],
]);

/** `2026-11-21 09:41:35.06+00` as `2026-11-21T09:41:35.060Z`: always in this form, so that times compare as text. */
function toIsoTime(text: string): string {
  const [time = "", fraction = ""] = text.slice(11, text.lastIndexOf("+")).split(".");
  return `${text.slice(0, 10)}T${time}.${fraction.padEnd(3, "0")}Z`;
}

const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(oid)) || pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig;

const shared = () => processWide<{ pool?: pg.Pool | undefined }>("crosswalkPool", () => ({}));

/** The process's connection pool. Waiting for a connection ends after 10 s with an error, never with a stall. */
export function pool(): pg.Pool {
  const own = shared();
  own.pool ??= createPool();
  return own.pool;
}

function createPool(): pg.Pool {
  const created = new pg.Pool({
    connectionString: config().DATABASE_URL,
    max: config().DATABASE_POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    // Kept open: on a busy machine opening one takes a second, and reads would wait for it.
    idleTimeoutMillis: 0,
    types,
    // Where the network swallows an answer, the wait for it ends too.
    query_timeout: 40_000,
    keepAlive: true,
    options:
      "-c TimeZone=UTC -c statement_timeout=30000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=60000",
  });
  created.on("error", (error) => log.warn({ err: error }, "an idle database connection was lost"));
  return created;
}

/** Opens all connections of the pool, before the server accepts requests. Those that fail are opened when they are needed. */
export async function fillPool(): Promise<void> {
  const opening = Array.from({ length: config().DATABASE_POOL_SIZE }, () => pool().connect());
  for (const opened of await Promise.allSettled(opening)) {
    if (opened.status === "fulfilled") opened.value.release();
  }
}

/** Closes the pool; a later use opens a new one. */
export async function closePool(): Promise<void> {
  const own = shared();
  const open = own.pool;
  own.pool = undefined;
  await open?.end();
}
