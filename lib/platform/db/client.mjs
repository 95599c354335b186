// Connections to PostgreSQL. Plain JavaScript, because the scripts use it, too.
import pg from "pg";
import { parseDatabaseUrl } from "./database-url.mjs";

/** How long a server of several has to respond before the next one is tried. */
const HOST_TIMEOUT_MS = 3_000;

/** None of the servers of a URL can be used. The code is that of a read-only database or of a failed connection. */
export class NoServerError extends Error {
  /**
   * @param {{ place: string, problem: string, cause?: unknown }[]} attempts
   */
  constructor(attempts) {
    const tried = attempts.map(({ place, problem }) => `${place} (${problem})`).join(", ");
    super(`No database server can be used: ${tried}`, { cause: attempts.findLast(({ cause }) => cause)?.cause });
    this.name = "NoServerError";
    this.code = attempts.some(({ problem }) => problem === READ_ONLY) ? "25006" : "08001";
  }
}

const READ_ONLY = "read-only";
/** What a URL can require of a server that is to accept writes. */
const ACCEPTS_WRITES = new Set(["read-write", "primary"]);
const NO_STANDBY = "not a standby";

/** The search for a server that is running, by URL: connections that are opened at once share it. */
const searches = new Map();
/** The host that was found last, by URL. It is tried first, so that a dead host does not delay each connection. */
const lastFound = new Map();

/**
 * A client that connects to the first suitable host of its URL, which pg can't do. It closes a connection whose server becomes read-only,
 * as PostgreSQL reports to it, so that the next connection finds the new primary.
 */
export class DatabaseClient extends pg.Client {
  #url;
  #target;
  /** One host, of which nothing is required. */
  #isPlain;

  /** @param {import("pg").ClientConfig & { connectionString: string }} config */
  constructor(config) {
    const { urls, target } = parseDatabaseUrl(config.connectionString);
    super({ ...config, connectionString: urls[0] });
    this.#url = config.connectionString;
    this.#target = target;
    this.#isPlain = target === "any" && urls.length === 1;
    // The pool has no listener while it hands a connection to a waiting request, and an error without a listener ends the process. The
    // next statement reports the loss.
    this.on("error", () => {});
  }

  /**
   * @param {any} [callback] the pool's
   * @returns {any} a promise without a callback, as of pg
   */
  connect(callback) {
    if (this.#isPlain) return super.connect(callback);
    const connected = this.#connectToSuitable();
    if (!callback) return connected;
    connected.then((client) => callback(undefined, client), callback);
  }

  async #connectToSuitable() {
    Object.assign(this, await findServer(this.#url));
    // The pool or the program may have given up.
    if (this._ending) throw new Error("Connection terminated");
    await super.connect();
    if (ACCEPTS_WRITES.has(this.#target)) {
      this.connection.on("parameterStatus", (status) => this.#closeIfReadOnly(status));
      watchForSilence(this, this.#url);
    }
    return this;
  }

  #closeIfReadOnly({ parameterName, parameterValue }) {
    const isMode =
      parameterName === "in_hot_standby" ||
      (parameterName === "default_transaction_read_only" && this.#target !== "primary");
    if (!isMode || parameterValue !== "on") return;
    // Statements that are running get this error. If a commit is among them, its outcome is reported as unknown.
    this.connection.stream.destroy(new Error("Connection terminated: the database has become read-only"));
  }
}

/**
 * Finds the first suitable server of a URL.
 *
 * @param {string} url
 * @returns {Promise<{ host: string, port: number }>}
 * @throws {NoServerError}
 */
export function findServer(url) {
  const running = searches.get(url);
  if (running) return running;
  const search = searchServer(url).finally(() => searches.delete(url));
  searches.set(url, search);
  return search;
}

async function searchServer(url) {
  const { urls, target } = parseDatabaseUrl(url);
  const last = lastFound.get(url);
  const order = last ? [last, ...urls.filter((one) => one !== last)] : urls;
  const attempts = [];
  for (const one of order) {
    const { host, port, problem, cause, isRejected } = await probe(one, target);
    if (!problem) {
      lastFound.set(url, one);
      closeOthers(url, { host, port }, isIdle);
      return { host, port };
    }
    attempts.push({ place: `${host}:${port}`, problem, cause, isRejected });
  }
  lastFound.delete(url);
  throw attempts.find(({ isRejected }) => isRejected)?.cause ?? new NoServerError(attempts);
}

/** How long a connection may be silent while a statement runs, before the other servers are asked. */
const SILENCE_MS = 2_000;
/** What watches the open connections to the primary, by URL. `received` has the number of bytes of each at the last check. */
const watches = new Map();

/**
 * Closes the connections to a primary that hangs or is cut off from the network, once another server has replaced it. Such a server can't close
 * them itself, and each statement would wait for its response in vain. A primary that is only slow keeps them: the others are read-only.
 */
function watchForSilence(client, url) {
  const watch = watches.get(url) ?? { received: new Map(), isAsking: false };
  if (!watches.has(url)) {
    watches.set(url, watch);
    watch.timer = setInterval(() => void checkSilence(url, watch), SILENCE_MS).unref();
  }
  const { stream } = client.connection;
  watch.received.set(client, stream.bytesRead);
  stream.once("close", () => {
    watch.received.delete(client);
    if (watch.received.size > 0) return;
    clearInterval(watch.timer);
    watches.delete(url);
  });
}

async function checkSilence(url, watch) {
  let silent = null;
  for (const [client, before] of watch.received) {
    const { bytesRead } = client.connection.stream;
    if (client.readyForQuery === false && bytesRead === before) silent = client;
    watch.received.set(client, bytesRead);
  }
  if (!silent || watch.isAsking) return;
  watch.isAsking = true;
  const found = await findSuccessor(url, silent);
  watch.isAsking = false;
  if (found) closeOthers(url, found);
}

/** PgBouncer keeps idle connections open while its PostgreSQL server is down. Each of them would fail a request later. */
const isIdle = (client) => client.readyForQuery === true && client.getTransactionStatus() === "I";

/** Closes the connections to all servers but the primary that was found. */
function closeOthers(url, found, isAffected = (_client) => true) {
  for (const client of watches.get(url)?.received.keys() ?? []) {
    const { host, port, connection } = client;
    if ((host === found.host && port === found.port) || !isAffected(client)) continue;
    connection.stream.destroy(new Error("Connection terminated: another server is the primary now"));
  }
}

/** Finds a server of a URL that accepts writes, besides one that may have failed. */
async function findSuccessor(url, failed) {
  const { urls, target } = parseDatabaseUrl(url);
  for (const one of urls) {
    const { host, port } = new pg.Client({ connectionString: one });
    if (host === failed.host && port === failed.port) continue;
    const { problem } = await probe(one, target);
    if (problem) continue;
    lastFound.set(url, one);
    return { host, port };
  }
  return null;
}

const REFUSES = {
  any: "SELECT false AS refuses",
  "read-write": "SELECT current_setting('transaction_read_only')::boolean AS refuses",
  primary: "SELECT pg_is_in_recovery() AS refuses",
  standby: "SELECT NOT pg_is_in_recovery() AS refuses",
};

/** Tries one server. A server that is up can reject the login (`isRejected`): a standby that lags does not know a new role or database. */
async function probe(url, target) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: HOST_TIMEOUT_MS });
  client.on("error", () => {});
  const { host, port } = client;
  try {
    await client.connect();
    const { rows } = await client.query({ text: REFUSES[target], query_timeout: HOST_TIMEOUT_MS });
    return { host, port, problem: rows[0].refuses ? (target === "standby" ? NO_STANDBY : READ_ONLY) : null };
  } catch (cause) {
    const isRejected = cause instanceof pg.DatabaseError && !/^(57P|08)/.test(cause.code);
    return { host, port, problem: cause.code || cause.message, cause, isRejected };
  } finally {
    await closeClient(client);
  }
}

/**
 * Closes a connection. A server that hangs does not respond, so its connection is destroyed after three seconds.
 *
 * @param {import("pg").Client} client
 */
export async function closeClient(client) {
  const timer = setTimeout(() => client.connection.stream.destroy(), HOST_TIMEOUT_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

/**
 * Returns whether a connection goes straight to PostgreSQL. Behind a connection pooler, the reported process ID isn't the backend's.
 *
 * @param {import("pg").ClientBase} client
 * @returns {Promise<boolean>}
 */
export async function isDirect(client) {
  const { rows } = await client.query({ text: "SELECT pg_backend_pid() AS pid", query_timeout: 10_000 });
  return rows[0].pid === client.processID;
}
