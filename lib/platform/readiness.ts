import { clock } from "./clock";
import { compareMigrations } from "./db/applied-migrations";
import { probePool } from "./db/pool";
import { PgDb, sql } from "./db/sql";
import { log } from "./log";
import { fromKeys, processWide } from "./objects";
import { imageStore } from "./storage/image-store";
import { oneAtATime, reuseFor } from "./within";

/**
 * Whether a process can serve requests. Each check is "ok" or says what is missing, without addresses or secrets. `isReady` stays true if only
 * the image store fails after a successful start.
 */
export interface Readiness {
  isReady: boolean;
  checks: Record<Check, string>;
}

const CHECKS = ["database", "migrations", "clock", "image_store"] as const;
type Check = (typeof CHECKS)[number];

const OK = "ok";
const UNKNOWN = "unknown";
/** Shorter than the usual timeout of load balancers. */
const LIMIT_MS = 3_000;
/** Links and sessions expire by the clock of this machine, most data by that of the database. */
const MAX_SKEW_MS = 5_000;
/** Anyone may ask, so a result is reused for this long. */
const FRESH_MS = 1_000;

const state = () =>
  processWide("crosswalkReadiness", () => ({
    isStopping: false,
    /** Every check has passed once. */
    hasPassed: false,
    failed: [] as readonly Check[],
    latest: reuseFor(FRESH_MS, checkReadiness),
    database: oneAtATime(checkDatabase, LIMIT_MS),
    image_store: oneAtATime(checkStore, LIMIT_MS),
  }));

/** Makes this process report that it is not ready, because it is stopping. */
export function announceStop(): void {
  state().isStopping = true;
}

/** Returns whether this process can serve requests. The result can be a second old. */
export function readiness(): Promise<Readiness> {
  const shared = state();
  if (shared.isStopping) {
    return Promise.resolve({ isReady: false, checks: fromKeys(CHECKS, () => "The server is stopping.") });
  }
  return shared.latest();
}

/** Returns what `/readyz` says of the clock if it is known to be wrong, or null. */
export async function findClockProblem(): Promise<string | null> {
  const { clock } = (await state().latest()).checks;
  return clock === OK || clock === UNKNOWN ? null : clock;
}

/** Returns the response of `/readyz`. */
export async function readinessReply() {
  const { isReady, checks } = await readiness();
  return { status: isReady ? 200 : 503, body: { status: describe(isReady, checks), checks } };
}

function describe(isReady: boolean, checks: Readiness["checks"]): "ready" | "degraded" | "not ready" {
  if (!isReady) return "not ready";
  return CHECKS.every((name) => checks[name] === OK) ? "ready" : "degraded";
}

/**
 * Checks everything that requests need, in at most 3 s. All servers share the image store, so an outage must not take all of them out of
 * service: a process that was ready stays ready, because most requests need no image.
 */
export async function checkReadiness(): Promise<Readiness> {
  const [fromDatabase, store] = await Promise.all([
    inTime("database").catch(onFailure("database", "The database did not respond.")),
    inTime("image_store").catch(onFailure("image_store", "Images can't be read or stored.")),
  ]);
  const checks = { ...fromKeys(CHECKS, () => UNKNOWN), ...fromDatabase, ...store };
  const failed = CHECKS.filter((name) => checks[name] !== OK);
  const shared = state();
  shared.hasPassed ||= failed.length === 0;
  const isReady = failed.every((name) => name === "image_store" && shared.hasPassed);
  if (failed.join() !== shared.failed.join()) log.warn({ checks }, describe(isReady, checks));
  shared.failed = failed;
  return { isReady, checks };
}

type Found = Partial<Readiness["checks"]>;

async function checkDatabase(): Promise<Found> {
  const db = new PgDb(probePool());
  const asked = clock.now().getTime();
  const { now } = await db.one<{ now: string }>(sql`SELECT clock_timestamp() AS now`);
  const answered = clock.now().getTime();
  const { pending } = await compareMigrations(db);
  // The database read its clock between the two times.
  const theirs = Date.parse(now);
  const skew = Math.max(asked - theirs, theirs - answered, 0);
  return {
    database: OK,
    migrations: pending.length === 0 ? OK : `Not applied: ${pending.join(", ")}. Run npm run migrate -- deploy.`,
    clock:
      skew <= MAX_SKEW_MS ? OK : `The clocks of this machine and the database differ by ${Math.round(skew / 1000)} s.`,
  };
}

async function checkStore(): Promise<Found> {
  await imageStore().check();
  return { image_store: OK };
}

function onFailure(name: Check, message: string): (error: unknown) => Found {
  return (err) => {
    if (!state().failed.includes(name)) log.warn({ err, check: name }, "a readiness check failed");
    return { [name]: message };
  };
}

async function inTime(name: "database" | "image_store"): Promise<Found> {
  const found = await state()[name]();
  if (!found) throw new Error(`no result within ${LIMIT_MS} ms`);
  return found;
}
