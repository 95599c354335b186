import pg from "pg";

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
  prepare(connection: Connection): void;
  _getRows(connection: Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: { fields: Texts }): void;
  handleError(error: Error, connection: Connection): void;
  handleCommandComplete(message: object, connection: Connection): void;
}
interface Connection {
  /** By name: the texts of the statements that are prepared. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  describe(portal: object): void;
  _send(message: Buffer): void;
}
/** The messages Execute, of all rows of the unnamed portal, and Sync. pg writes them to the stream one after the other. */
const EXECUTE_AND_SYNC = Buffer.from("E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04", "latin1");

type Callback = (error: Error | undefined, result: pg.QueryResult) => void;
const Query = pg.Query as unknown as new (text: string, values?: unknown[], callback?: Callback) => Internals;

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
class PreparedQuery extends Query {
  #shapes: Map<string, RowShape> | undefined;
  #shape: RowShape | undefined;

  constructor({ text, values, name }: pg.QueryConfig, callback?: Callback) {
    // pg copies a config with its property descriptors, which takes as long as sending the statement.
    super(text, values, callback);
    this.name = name;
  }

  override prepare(connection: Connection): void {
    const { withoutDescribe, shapes, failures } = know(connection);
    const failed = this.name === undefined ? undefined : failures.get(this.name);
    if (failed !== undefined) this.name += `.${failed}`;
    this.#shapes = shapes;
    this.#shape = this.name === undefined ? undefined : shapes.get(this.name);
    super.prepare(this.#shape ? withoutDescribe : connection);
  }

  override _getRows(connection: Connection): void {
    connection._send(EXECUTE_AND_SYNC);
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
  }

  override handleDataRow(message: { fields: Texts }): void {
    const { parsers, toRow } = this.#shape ?? NO_ROWS;
    this._result.rows.push(toRow(message.fields, parsers));
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    super.handleCommandComplete(message, connection);
    if (!this.#shape && this.name !== undefined) this.#shapes?.set(this.name, NO_ROWS);
  }
}

/** Runs a query on the pool or on one of its connections. */
export function runQuery(target: Pick<pg.Pool, "query">, config: pg.QueryConfig): Promise<pg.QueryResult> {
  // The pool sets a callback itself, to release the connection.
  if (target instanceof pg.Pool) return target.query(new PreparedQuery(config) as unknown as pg.QueryConfig);
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery(config, (error, result) => {
      if (!error) return resolve(result);
      // Like pg, shows where the query came from instead of the socket.
      Error.captureStackTrace(error);
      reject(error);
    });
    target.query(query as unknown as pg.QueryConfig);
  });
}
