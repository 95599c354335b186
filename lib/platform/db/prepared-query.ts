import pg from "pg";

/** The columns of a prepared statement. PostgreSQL fails a statement whose columns change, so each connection reads them once. */
interface RowShape {
  names: readonly string[];
  parsers: readonly ((text: string) => unknown)[];
  /** A row of NULLs. V8 copies and reads objects of JSON.parse faster than those that are filled one column after the other. */
  empty: Readonly<Record<string, unknown>>;
}

const NO_ROWS: RowShape = { names: [], parsers: [], empty: {} };

/** The parts of pg's Query and Connection that its types omit. package.json pins its version. */
interface Internals {
  name: string | undefined;
  readonly _result: { rows: unknown[]; fields: readonly { name: string }[]; _parsers: RowShape["parsers"] };
  prepare(connection: Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: { fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: object, connection: Connection): void;
}
interface Connection {
  describe(portal: object): void;
}
type Callback = (error: Error | undefined, result: pg.QueryResult) => void;
const Query = pg.Query as unknown as new (text: string, values?: unknown[], callback?: Callback) => Internals;

interface KnownConnection {
  /** The same connection, but its `describe` sends nothing. */
  withoutDescribe: Connection;
  /** By the name of the statement. */
  shapes: Map<string, RowShape>;
}
const connections = new WeakMap<Connection, KnownConnection>();

function know(connection: Connection): KnownConnection {
  const before = connections.get(connection);
  if (before) return before;
  const withoutDescribe: Connection = Object.assign(Object.create(connection), { describe() {} });
  const known = { withoutDescribe, shapes: new Map<string, RowShape>() };
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
    const { withoutDescribe, shapes } = know(connection);
    this.#shapes = shapes;
    this.#shape = this.name === undefined ? undefined : shapes.get(this.name);
    super.prepare(this.#shape ? withoutDescribe : connection);
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers: parsers } = this._result;
    const names = fields.map(({ name }) => name);
    const empty = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))));
    this.#shape = { names, parsers, empty };
    if (this.name !== undefined) this.#shapes?.set(this.name, this.#shape);
  }

  override handleDataRow(message: { fields: readonly (string | null)[] }): void {
    const { names, parsers, empty } = this.#shape ?? NO_ROWS;
    const row: Record<string, unknown> = { ...empty };
    const { fields: texts } = message;
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index];
      if (typeof text === "string") row[names[index] as string] = parsers[index]?.(text);
    }
    this._result.rows.push(row);
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
