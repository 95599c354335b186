import pg from "pg";
import { property } from "@/lib/platform/objects";

type Parser = (text: string) => unknown;
type Texts = readonly (string | null)[];
type ToRow = (texts: Texts, parsers: readonly Parser[]) => object;

/** The columns of a prepared statement. PostgreSQL fails a statement whose columns change, so each connection reads them once. */
interface RowShape {
  parsers: readonly Parser[];
  toRow: ToRow;
}

const NO_ROWS: RowShape = { parsers: [], toRow: () => ({}) };

const rowMakers = new Map<string, ToRow>();

/**
 * Compiles a function that makes a row with these columns in one step, shared by all connections. Setting one column after the other takes
 * ten times as long, and so do later reads of such rows. Only for named statements, of which there are a few hundred.
 */
function compileRow(columns: readonly string[]): ToRow {
  const key = JSON.stringify(columns);
  const known = rowMakers.get(key);
  if (known) return known;
  const values = columns.map((name, at) => `${JSON.stringify(name)}: t[${at}] === null ? null : p[${at}](t[${at}])`);
  const made = new Function("t", "p", `return { ${values.join(", ")} };`) as ToRow;
  rowMakers.set(key, made);
  return made;
}

/** Makes a row of a statement that is too rare to be named. */
function toRareRow(columns: readonly string[]): ToRow {
  const parseText = (text: string | null | undefined, parse?: Parser) => (text == null ? null : parse?.(text));
  return (texts, parsers) => Object.fromEntries(columns.map((name, at) => [name, parseText(texts[at], parsers[at])]));
}

/** The parts of pg's Query and Connection that its types omit. package.json pins its version. */
interface Internals {
  name: string | undefined;
  readonly _result: { rows: unknown[]; fields: readonly { name: string }[]; _parsers: readonly Parser[] };
  requiresPreparation(): boolean;
  prepare(connection: Connection): void;
  _getRows(connection: Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: { fields: Texts }): void;
  handleCopyInResponse(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
  handleCommandComplete(message: object, connection: Connection): void;
}
interface Connection {
  /** By name: the texts of the statements that are prepared, and of those whose preparation has no response yet. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly submittedNamedStatements: Record<string, string>;
  readonly stream: { cork(): void; uncork(): void };
  describe(portal: object): void;
  emit(event: "readyForQuery", message: { status: string }): void;
  _send(message: Buffer): void;
}
interface Client {
  readonly connection: Connection;
  /** What was sent, without the query that gets the current responses. */
  _sentQueryQueue: unknown[];
}
/** The message Execute, of all rows of the unnamed portal. */
const EXECUTE = Buffer.from("E\0\0\0\x09\0\0\0\0\0", "latin1");
const SYNC = Buffer.from("S\0\0\0\x04", "latin1");
/** pg writes them to the stream one after the other. */
const EXECUTE_AND_SYNC = Buffer.concat([EXECUTE, SYNC]);
const IN_TRANSACTION = { status: "T" };
const ABORTED = "25P02";

/** A statement with its values, or with the messages that follow a COPY. */
export interface Query extends pg.QueryConfig {
  rows?: Buffer | undefined;
}

type Callback = (error: Error | undefined, result: pg.QueryResult) => void;
const PgQuery = pg.Query as unknown as new (text: string, values?: unknown[], callback?: Callback) => Internals;

interface KnownConnection {
  /** The same connection, but its `describe` sends nothing. */
  withoutDescribe: Connection;
  /** By the name of the statement. */
  shapes: Map<string, RowShape>;
  /** How often preparing a statement failed, by its name. */
  failures: Map<string, number>;
}
const connections = new WeakMap<Connection, KnownConnection>();

function know(connection: Connection): KnownConnection {
  const before = connections.get(connection);
  if (before) return before;
  const withoutDescribe: Connection = Object.assign(Object.create(connection), { describe() {} });
  const known = { withoutDescribe, shapes: new Map<string, RowShape>(), failures: new Map<string, number>() };
  connections.set(connection, known);
  return known;
}

/**
 * A query that asks for the columns of a prepared statement only the first time. pg asks every time, and reads as many bytes about the columns
 * of a policy as about the policy.
 */
class PreparedQuery extends PgQuery {
  #shapes: Map<string, RowShape> | undefined;
  #shape: RowShape | undefined;
  readonly #group: QueryGroup | undefined;
  readonly #copied: Buffer | undefined;
  #isPreparing = false;

  constructor({ text, values, name, rows }: Query, callback?: Callback, group?: QueryGroup) {
    // pg copies a config with its property descriptors, which takes as long as sending the statement.
    super(text, values, callback);
    this.name = name;
    this.#group = group;
    this.#copied = rows;
  }

  override requiresPreparation(): boolean {
    // Otherwise, pg sends a statement without values as a simple query, which PostgreSQL answers like a Sync.
    return this.#group !== undefined || super.requiresPreparation();
  }

  override prepare(connection: Connection): void {
    this.#group?.add(this);
    const { withoutDescribe, shapes, failures } = know(connection);
    const failed = this.name === undefined ? undefined : failures.get(this.name);
    if (failed !== undefined) this.name += `.${failed}`;
    this.#shapes = shapes;
    this.#shape = this.name === undefined ? undefined : shapes.get(this.name);
    this.#isPreparing = true;
    super.prepare(this.#shape ? withoutDescribe : connection);
    this.#isPreparing = false;
  }

  override _getRows(connection: Connection): void {
    if (this.#copied) {
      // PostgreSQL ignores a Sync until it has the rows.
      connection._send(EXECUTE);
      connection._send(this.#copied);
      if (!this.#group) connection._send(SYNC);
    } else connection._send(this.#group ? EXECUTE : EXECUTE_AND_SYNC);
  }

  override handleCopyInResponse(): void {
    // The rows are on their way.
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers: parsers } = this._result;
    const columns = fields.map(({ name }) => name);
    this.#shape = { parsers, toRow: this.name === undefined ? toRareRow(columns) : compileRow(columns) };
    if (this.name !== undefined) this.#shapes?.set(this.name, this.#shape);
  }

  /**
   * PgBouncer keeps the name of a statement that could not be prepared, for example in a transaction that had failed, and closes a connection
   * that uses it again. The next time, the statement gets another name.
   */
  override handleError(error: Error, connection: Connection): void {
    if (this.name !== undefined && connection.parsedStatements[this.name] === undefined) {
      const { failures } = know(connection);
      const [name = ""] = this.name.split(".");
      failures.set(name, (failures.get(name) ?? 0) + 1);
    }
    super.handleError(error, connection);
    // A value could not be bound, after which pg sends a Sync.
    if (this.#isPreparing) this.#group?.close();
    // A lost connection fails each query by itself.
    if (error instanceof pg.DatabaseError) this.#group?.skipAfter(this);
  }

  override handleDataRow(message: { fields: Texts }): void {
    const { parsers, toRow } = this.#shape ?? NO_ROWS;
    this._result.rows.push(toRow(message.fields, parsers));
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    super.handleCommandComplete(message, connection);
    if (!this.#shape && this.name !== undefined) this.#shapes?.set(this.name, NO_ROWS);
    if (this.#group && !this.#group.endsWith(this)) connection.emit("readyForQuery", IN_TRANSACTION);
  }
}

/** Returns whether a query failed only because an earlier one of its group or transaction had failed. */
export function wasSkipped(error: unknown): boolean {
  return property(error, "code") === ABORTED;
}

/**
 * Queries on one connection that are sent together, with one Sync after the last, so that they run in one transaction. pg sends one after
 * each query, at which PostgreSQL sends the results it has: a system call on both sides, and a turn of the event loop. If a query fails,
 * PostgreSQL skips the others until the Sync, so they fail, too.
 */
export class QueryGroup {
  readonly #client: Client;
  readonly #queries: PreparedQuery[] = [];
  #isOpen = true;
  #hasFailed = false;

  /** Holds back what is written to the connection until the group ends. */
  constructor(client: pg.Client) {
    this.#client = client as unknown as Client;
    this.#client.connection.stream.cork();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Sends the queries. Later calls do nothing. */
  end(): void {
    if (!this.#isOpen) return;
    if (this.#queries.length > 0) this.#client.connection._send(SYNC);
    this.close();
  }

  /** Ends the group after a Sync that pg has sent. */
  close(): void {
    this.#isOpen = false;
    this.#client.connection.stream.uncork();
  }

  add(query: PreparedQuery): void {
    this.#queries.push(query);
  }

  endsWith(query: PreparedQuery): boolean {
    return this.#queries.at(-1) === query;
  }

  /** Fails the queries after one that failed: they get no responses. */
  skipAfter(failed: PreparedQuery): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const skipped = this.#queries.slice(this.#queries.indexOf(failed) + 1);
    if (skipped.length === 0) return;
    const { connection } = this.#client;
    this.#client._sentQueryQueue = this.#client._sentQueryQueue.filter(
      (sent) => !skipped.includes(sent as PreparedQuery),
    );
    for (const query of skipped) {
      if (query.name !== undefined) delete connection.submittedNamedStatements[query.name];
      const error = new pg.DatabaseError("an earlier statement of the transaction failed", 0, "error");
      error.code = ABORTED;
      query.handleError(error, connection);
    }
  }
}

/**
 * Runs a query on the pool or on one of its connections.
 *
 * @param group an open group of that connection, which sends the query when it ends
 */
export function runQuery(target: Pick<pg.Pool, "query">, config: Query, group?: QueryGroup): Promise<pg.QueryResult> {
  // The pool sets a callback itself, to release the connection.
  if (target instanceof pg.Pool) return target.query(new PreparedQuery(config) as unknown as pg.QueryConfig);
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery(
      config,
      (error, result) => {
        if (!error) return resolve(result);
        // Like pg, shows where the query came from instead of the socket.
        Error.captureStackTrace(error);
        reject(error);
      },
      group,
    );
    target.query(query as unknown as pg.QueryConfig);
  });
}
