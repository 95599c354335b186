import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { config } from "@/lib/platform/config";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { observeReplicaRead } from "@/lib/platform/metrics";
import { processWide, property, toError } from "@/lib/platform/objects";
import { shareNext, within } from "@/lib/platform/within";
import { isLostConnection } from "./lost-connection.mjs";
import { closeReplicaPool, POOL_TIMEOUT_MS, REPLICA_STATEMENT_TIMEOUT_MS, replicaPool } from "./pool";
import { wasSkipped } from "./prepared-query";
import { type Db, dbOfWork, fixed, isReadOnly, PgDb, primary, type Statement, sql, toOverloaded } from "./sql";

// Reads from a standby (ADR 0207). As with Raft's ReadIndex, a read first learns the position of the primary, and the standby must have
// replayed its log up to there. So it sees every write that was acknowledged before it began, by any process.

/** How long a request waits for a connection, and for the replica to catch up. */
const MAX_WAIT_MS = 100;
const POLL_MS = 5;

/**
 * Why a read goes to the primary, as in the metrics, and for how many milliseconds all others do as well, so that not each of them waits
 * for the replica.
 */
const PAUSE_MS = {
  /** It has not replayed the log in time. */
  lagging: 1_000,
  /** The log was flushed up to the middle of a record, which no server can replay. The next commit flushes the rest. */
  partial_record: 0,
  /** There was no connection or response in time. */
  slow: 1_000,
  unreachable: 5_000,
  /** It is a primary itself. */
  promoted: 5_000,
  other_timeline: 5_000,
  /** It is not a copy of the primary's database. */
  other_database: 5_000,
  /** A statement ran into a timeout, or lacked memory or disk space. Others would wait for the timeout as well. */
  overloaded: 30_000,
  /** Replaying the log canceled the statement. */
  conflict: 0,
  /** The statement writes. */
  write: 0,
};
type Reason = keyof typeof PAUSE_MS;
/** Replicas are late now and then, which is not worth a warning. */
const LATE: ReadonlySet<Reason> = new Set(["lagging", "slow"]);

/** Which database it is, and which history of it. */
interface Origin {
  /** The identifier of the database cluster, which its standbys share. */
  system: string;
  /** The name of the database. */
  database: string;
  /** The first eight digits in the names of the log files. Each failover begins another one. */
  timeline: string;
}

interface Position extends Origin {
  /** Of the primary's log. */
  lsn: string;
}

/** The background writer of the log flushes whole pages, whose last record may continue on the next one. */
const LOG_PAGE_BYTES = 8_192;
const endsWithPage = (lsn: string) => Number.parseInt(lsn.split("/")[1] ?? "", 16) % LOG_PAGE_BYTES === 0;

/** A commit is acknowledged once the log is flushed, unless `synchronous_commit` is off. */
const POSITION = fixed(
  () => sql`
    SELECT lsn::text, left(pg_walfile_name(lsn), 8) AS timeline, system_identifier::text AS system, current_database() AS database
    FROM pg_control_system(), (SELECT CASE current_setting('synchronous_commit')
      WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn) AS position`,
  { isShort: true },
);

/**
 * After a failover, a server that still follows the old primary can be past the position, but on another timeline. The control file has the
 * timeline of a standby, but can be as old as its last restart point. Only privileged roles see the current one.
 */
const CHECK = fixed(
  (lsn: string) => sql`
    SELECT pg_is_in_recovery() AS is_standby, pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn AS has_replayed,
      lpad(upper(to_hex(min_recovery_end_timeline)), 8, '0') AS timeline,
      system_identifier::text AS system, current_database() AS database
    FROM pg_control_recovery(), pg_control_system()`,
);

interface Check extends Origin {
  is_standby: boolean;
  has_replayed: boolean;
}

/** In another isolation level, which a role can have by default, later statements would see the state of the first check. */
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL statement_timeout = ${REPLICA_STATEMENT_TIMEOUT_MS}`;

class NotUsableError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(`the replica can't be used: ${reason}`);
    this.reason = reason;
  }
}

/** What a process knows about the replica. */
class Replica {
  /** Requests that wait at the same time share one statement, which begins after all of them arrived. */
  readonly #position = shareNext(() => primary.one<Position>(POSITION()));
  #paused: { reason: Reason; until: number } | undefined;

  /**
   * Begins a transaction on a replica that has replayed all that was acknowledged before. Returns null if the primary must be read.
   *
   * @throws OverloadedError if the primary does not respond in time. Reading from it would take as long again
   */
  async begin(url: string): Promise<pg.PoolClient | null> {
    if (this.#paused && performance.now() < this.#paused.until) {
      observeReplicaRead(this.#paused.reason);
      return null;
    }
    const position = await this.#readPosition();
    if (!position) return null;
    try {
      const client = await connectAndWait(url, position);
      this.#paused = undefined;
      observeReplicaRead("replica");
      return client;
    } catch (error) {
      this.fail(error instanceof NotUsableError ? error.reason : "unreachable", error);
      return null;
    }
  }

  /** Returns null if the primary rejects the statement. Then the read shows what is wrong. */
  async #readPosition(): Promise<Position | null> {
    try {
      const position = await within(this.#position(), POOL_TIMEOUT_MS);
      if (position) return position;
    } catch (error) {
      if (error instanceof OverloadedError) throw error;
      return null;
    }
    throw new OverloadedError(new Error("timeout exceeded when asking the primary for its position"));
  }

  /** Counts a read that goes to the primary. Depending on the reason, so do all others for some time. */
  fail(reason: Reason, cause: unknown): void {
    observeReplicaRead(reason);
    this.pause(reason, cause);
  }

  pause(reason: Reason, cause: unknown): void {
    const ms = PAUSE_MS[reason];
    if (ms === 0) return;
    const isWrong = reason === "other_database";
    if (!LATE.has(reason) && this.#paused?.reason !== reason) {
      if (isWrong) log.error("DATABASE_REPLICA_URL is not a standby of DATABASE_URL, so the primary serves all reads");
      else log.warn({ err: cause, reason }, "the replica can't be used, so the primary serves its reads");
    }
    this.#paused = { reason, until: performance.now() + ms };
    // All of its connections may lead to that server.
    if (isWrong || reason === "promoted") closeReplicaPool();
  }
}

const replica = () => processWide("crosswalkReplica", () => new Replica());

/** @throws NotUsableError, or the error of the replica */
async function connectAndWait(url: string, position: Position): Promise<pg.PoolClient> {
  const deadline = performance.now() + MAX_WAIT_MS;
  const connecting = replicaPool(url).connect();
  const client = await within(connecting, MAX_WAIT_MS);
  if (!client) {
    connecting.then(
      (late) => late.release(),
      (error) => replica().pause("unreachable", error),
    );
    throw new NotUsableError("slow");
  }
  // The pool only listens to idle connections, and an error without a listener ends the process.
  client.on("error", ignore);
  try {
    await waitUntilReplayed(client, position, deadline);
    return client;
  } catch (error) {
    giveBack(client, error instanceof NotUsableError ? undefined : toError(error));
    throw error;
  }
}

async function waitUntilReplayed(client: pg.PoolClient, position: Position, deadline: number): Promise<void> {
  const { lsn, timeline, system, database } = position;
  const reader = new PgDb(client);
  // A connection pooler keeps the server until the transaction ends.
  client.query(BEGIN).catch(ignore);
  for (;;) {
    const found = await within(reader.one<Check>(CHECK(lsn)), deadline - performance.now());
    if (!found) throw new NotUsableError("slow");
    if (found.system !== system || found.database !== database) throw new NotUsableError("other_database");
    if (!found.is_standby) throw new NotUsableError("promoted");
    if (found.timeline !== timeline) throw new NotUsableError("other_timeline");
    if (found.has_replayed) return;
    if (performance.now() + POLL_MS > deadline)
      throw new NotUsableError(endsWithPage(lsn) ? "partial_record" : "lagging");
    await pause(POLL_MS);
  }
}

/** Ends the transaction after the statements that are running, and returns the connection to its pool, or closes it. */
function giveBack(client: pg.PoolClient, broken?: Error): void {
  const release = (error?: Error) => {
    client.off("error", ignore);
    client.release(error);
  };
  if (broken) release(broken);
  else client.query("COMMIT").then(() => release(), release);
}

function ignore(): void {}

/**
 * The database of one request. All reads use the same connection to a replica, so later ones don't see an older state. If one fails there,
 * it and all later ones go to the primary, which is never behind.
 */
class ReplicaReads implements Db {
  readonly #url: string;
  #client: Promise<pg.PoolClient | null> | undefined;
  #hasLeft = false;

  constructor(url: string) {
    this.#url = url;
  }

  rows<R extends object>(statement: Statement<R>): Promise<R[]> {
    return this.#read((db) => db.rows(statement));
  }

  first<R extends object>(statement: Statement<R>): Promise<R | null> {
    return this.#read((db) => db.first(statement));
  }

  one<R extends object>(statement: Statement<R>): Promise<R> {
    return this.#read((db) => db.one(statement));
  }

  run(statement: Statement<unknown>): Promise<number> {
    this.leave();
    return primary.run(statement);
  }

  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    void this.#client?.then((client) => client && giveBack(client), ignore);
  }

  async #read<T>(read: (db: Db) => Promise<T>): Promise<T> {
    if (!this.#hasLeft) this.#client ??= replica().begin(this.#url);
    const client = await this.#client;
    if (!client || this.#hasLeft) return read(primary);
    try {
      return await read(new PgDb(client));
    } catch (error) {
      // The transaction has failed, so no later statement can use it.
      this.leave();
      if (!isOfReplica(error)) throw error;
      return read(primary);
    }
  }
}

/** Replaying the log needed something that the statement used. */
const CONFLICTS: ReadonlySet<unknown> = new Set(["40001", "40P01"]);

/** Returns whether a statement may succeed on the primary. */
function isOfReplica(error: unknown): boolean {
  const cause = error instanceof OverloadedError ? error.cause : error;
  const code = property(cause, "code");
  if (wasSkipped(cause)) return true;
  const reason = CONFLICTS.has(code)
    ? "conflict"
    : isReadOnly(error)
      ? "write"
      : isLostConnection(cause)
        ? "unreachable"
        : toOverloaded(cause)
          ? "overloaded"
          : null;
  if (reason === null) return false;
  replica().fail(reason, cause);
  return true;
}

/**
 * Runs `work`, whose reads with `db` may go to the replica (DATABASE_REPLICA_URL). They see all writes that were acknowledged before. For lists
 * and exports, which read much: a short read costs the primary no more than asking for its position.
 */
export async function readFromReplica<T>(work: () => Promise<T>): Promise<T> {
  const { DATABASE_REPLICA_URL: url } = config();
  if (url === undefined || dbOfWork.getStore()) return work();
  const reads = new ReplicaReads(url);
  try {
    return await dbOfWork.run(reads, work);
  } finally {
    reads.leave();
  }
}
