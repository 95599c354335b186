import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { Compilable } from "kysely";
import type pg from "pg";
import { Prisma } from "@/generated/prisma/client";
import { OverloadedError } from "@/lib/platform/errors";
import { keysOf, pick, processWide, property } from "@/lib/platform/objects";
import { traceStatement } from "@/lib/platform/tracing";
import type { CopyRows } from "./copy-rows";
import { isLostConnection } from "./lost-connection.mjs";
import { pool } from "./pool";
import { type Query, runQuery } from "./prepared-query";
import { ShortReads } from "./short-reads";

export type Sql = Prisma.Sql;

/** A statement with bound values: `sql\`select … where id = ${id}\``; fragments nest. */
export const sql = Prisma.sql;
/** Joins fragments or values with a separator (default a comma). */
export const join = Prisma.join;
/** Inserts text into a statement without binding it. Use it for constants only. */
export const raw = Prisma.raw;
export const empty = Prisma.empty;

const UNPREPARED = "/* unprepared */";
/**
 * Begins a statement that is planned on each use. A prepared plan that was made for a nearly empty table reads all of it, and stays in use
 * while a conversion fills the table.
 */
export const unprepared = raw(UNPREPARED);

/** Binds a value as jsonb. */
export function json(value: unknown): Sql {
  return sql`${JSON.stringify(value ?? null)}::jsonb`;
}

/** Text with places for values, and the values. */
export interface BoundSql extends Pick<Sql, "text" | "values"> {
  /** Can share a connection with other requests (`ShortReads`). */
  isShort?: boolean;
  /** The tables that the statement writes. Set if `combineWrites` may join it with others. */
  writes?: readonly string[];
  /** The messages with the rows of `copyInto`. */
  rows?: Buffer;
}

/** SQL, whose rows have the type that the caller states, or a query of Kysely, which infers it. */
export type Statement<R> = BoundSql | Compilable<R>;

/**
 * Makes the text of a statement once, on its first use, for statements on the hot path: joining the fragments of a policy's columns takes
 * longer than sending them.
 *
 * @param build gets each value once, and may only bind them
 * @param options.isShort it reads a few rows by index, without locks
 * @param options.writes the tables it writes. Set it only if the statement reads nothing that other writes of a transaction change
 */
export function fixed<V extends unknown[]>(
  build: (...values: V) => Sql,
  options: Pick<BoundSql, "isShort" | "writes"> = {},
): (...values: V) => BoundSql {
  let made: { text: string; places: readonly number[]; constants: readonly unknown[] } | undefined;
  const make = () => {
    const marks: unknown[] = Array.from({ length: build.length }, () => Symbol("a value"));
    const { text, values } = build(...(marks as V));
    return { text, places: values.map((value) => marks.indexOf(value)), constants: values };
  };
  return (...values) => {
    made ??= make();
    const { text, places, constants } = made;
    return {
      text,
      values: places.map((place, index) => (place === -1 ? constants[index] : values[place])),
      ...options,
    };
  };
}

/** Runs statements on the pool or in a transaction. */
export interface Db {
  /** Returns all rows. */
  rows<R extends object>(statement: Statement<R>): Promise<R[]>;
  /** Returns the first row, or null. */
  first<R extends object>(statement: Statement<R>): Promise<R | null>;
  /** The row of a statement that always has one, such as an INSERT with RETURNING or a count. */
  one<R extends object>(statement: Statement<R>): Promise<R>;
  /** Returns the number of affected rows. */
  run(statement: Statement<unknown>): Promise<number>;
}

/** What runs statements: the pool, or one of its connections. */
export type Queryable = Pick<pg.Pool, "query">;

export class PgDb implements Db {
  readonly #target: Queryable;

  constructor(target: Queryable) {
    this.#target = target;
  }

  async rows<R extends object>(statement: Statement<R>): Promise<R[]> {
    return (await this.query(statement)).rows;
  }

  async first<R extends object>(statement: Statement<R>): Promise<R | null> {
    return (await this.query(statement)).rows[0] ?? null;
  }

  async one<R extends object>(statement: Statement<R>): Promise<R> {
    const [row] = (await this.query(statement)).rows;
    if (!row) throw new Error(`no row from ${textAndValues(statement).text}`);
    return row;
  }

  async run(statement: Statement<unknown>): Promise<number> {
    return (await this.query(statement)).rowCount ?? 0;
  }

  /** @param _isShort whether it may share a connection of the pool */
  protected execute(config: Query, _isShort: boolean): Promise<pg.QueryResult> {
    return runQuery(this.#target, config);
  }

  protected async query(statement: Statement<unknown>): Promise<pg.QueryResult> {
    const { text, values, rows, isShort = false } = textAndValues(statement);
    try {
      const config = { text, values, rows, name: statementName(text) };
      return await traceStatement(text, () => this.execute(config, isShort));
    } catch (error) {
      throw isStaleStatement(text, error) ? new OverloadedError(error) : (toOverloaded(error) ?? error);
    }
  }
}

let short: { pool: pg.Pool; reads: ShortReads } | undefined;

/** Returns the short reads of the current pool. */
function shortReads(): ShortReads {
  if (short?.pool !== pool()) short = { pool: pool(), reads: new ShortReads(pool()) };
  return short.reads;
}

class PoolDb extends PgDb {
  protected override execute(config: Query, isShort: boolean): Promise<pg.QueryResult> {
    return isShort ? shortReads().run(config) : super.execute(config, isShort);
  }
}

function textAndValues(statement: Statement<unknown>): BoundSql {
  if (!("compile" in statement)) return statement;
  const { sql: text, parameters } = statement.compile();
  return { text, values: [...parameters] };
}

/** Runs each statement on a connection of the pool, outside of a transaction. */
export const primary: Db = {
  rows: (statement) => new PoolDb(pool()).rows(statement),
  first: (statement) => new PoolDb(pool()).first(statement),
  one: (statement) => new PoolDb(pool()).one(statement),
  run: (statement) => new PoolDb(pool()).run(statement),
};

/** Runs the statements of work that may read from a replica. */
interface DbOfWork extends Db {
  /** Sends all later statements to the primary. */
  leave(): void;
}

/** What runs the statements of `db` within `readFromReplica`. */
export const dbOfWork = processWide("crosswalkDbOfWork", () => new AsyncLocalStorage<DbOfWork>());

const current = () => dbOfWork.getStore() ?? primary;

/** Like `primary`. Within `readFromReplica`, reads may go to a replica. */
export const db: Db = {
  rows: (statement) => current().rows(statement),
  first: (statement) => current().first(statement),
  one: (statement) => current().one(statement),
  run: (statement) => current().run(statement),
};

/** A former primary that is now a standby rejects writes. The next connection finds the new primary. */
const READ_ONLY = "25006";
const BUSY = new Set(["55P03", "57014", "57P03", READ_ONLY]);
/** PostgreSQL's class of errors for a full disk, too little memory and too many connections. */
const NO_RESOURCES = /^53/;

/** Returns whether the database rejected a write because it is read-only. */
export function isReadOnly(error: unknown): boolean {
  return property(error instanceof OverloadedError ? error.cause : error, "code") === READ_ONLY;
}

/**
 * Converts timeouts of locks, statements and connections, missing resources such as disk space, and connections lost before a commit. Returns
 * null for other errors.
 */
export function toOverloaded(error: unknown): OverloadedError | null {
  const code = String(property(error, "code") ?? "");
  const message = error instanceof Error ? error.message : "";
  const isLate =
    BUSY.has(code) || NO_RESOURCES.test(code) || message.includes("timeout exceeded when trying to connect");
  return isLate || isLostConnection(error) ? new OverloadedError(error) : null;
}

/** Returns the constraint of a unique violation (23505), or null for other errors. */
export function violatedConstraint(error: unknown): string | null {
  if (property(error, "code") !== "23505") return null;
  return String(property(error, "constraint") ?? "");
}

/** Returns whether a row refers to one that does not exist (23503). */
export function isForeignKeyViolation(error: unknown): boolean {
  return property(error, "code") === "23503";
}

/** PostgreSQL also runs a statement five times before it settles on a generic plan. */
const USES_BEFORE = 5;
/** Bounds the memory of every connection, because clients vary the text of some statements. The program itself has far fewer. */
const MAX_NAMES = 300;
const MAX_COUNTED = 2_000;

const names = new Map<string, string>();
/** By name, because the text of a list with many filters has several kilobytes. */
const uses = new Map<string, number>();
const unnamed = new Set<string>();

/**
 * Returns the name under which connections prepare a statement, or undefined if it is used too rarely. A named statement is planned once
 * per connection instead of every time, which cuts the cost of reading a policy to a third. The name is a hash of the text, because copies
 * of this module share connections.
 */
export function statementName(text: string): string | undefined {
  const name = names.get(text);
  if (name !== undefined || names.size >= MAX_NAMES || unnamed.has(text)) return name;
  if (text.startsWith(UNPREPARED)) return undefined;
  const hash = createHash("sha256").update(text).digest("base64url");
  const count = (uses.get(hash) ?? 0) + 1;
  if (count <= USES_BEFORE) {
    if (uses.size >= MAX_COUNTED) uses.clear();
    uses.set(hash, count);
    return undefined;
  }
  uses.delete(hash);
  names.set(text, hash);
  return hash;
}

/**
 * Returns whether a statement failed only because it was prepared: a migration changed its columns, or the connection no longer knows it.
 * From then on, it runs without a name.
 */
export function isStaleStatement(text: string, error: unknown): boolean {
  const code = property(error, "code");
  const isStale = code === "26000" || (code === "0A000" && property(error, "routine") === "RevalidateCachedQuery");
  if (!isStale) return false;
  names.delete(text);
  unnamed.add(text);
  return true;
}

/**
 * Builds an `INSERT INTO` that binds all rows as one JSON value. The statement is the same for any number of rows, so PostgreSQL plans it
 * once.
 *
 * @param rows at least one, by column, with times and dates in ISO 8601
 * @param columns the columns to write. A row without a value writes NULL, not the default
 */
export function insertInto<R extends object>(
  table: string,
  rows: readonly R[],
  columns: readonly (keyof R & string)[] = rows[0] ? keysOf(rows[0]) : [],
): Sql {
  const picked = rows.map((row) => pick(row, columns));
  const names = raw(columns.join(", "));
  return sql`INSERT INTO ${raw(table)} (${names}) SELECT ${names}
    FROM json_populate_recordset(NULL::${raw(table)}, ${JSON.stringify(picked)}::json)`;
}

/** Builds a `COPY` of rows in its text format. PostgreSQL writes them several at a time, and parses no JSON around them. */
export function copyInto(table: string, columns: readonly string[], rows: CopyRows): BoundSql {
  return { text: `COPY ${table} (${columns.join(", ")}) FROM STDIN`, values: [], rows: rows.end() };
}

/** Splits rows into parts of at most `size`, because a statement can bind only 65,535 values. */
export function* chunks<T>(rows: readonly T[], size: number): Generator<T[]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size);
}

/**
 * Returns a condition: the column has one of the values. Lists of any length make the same statement, which is prepared once. A single value
 * is compared by itself, so that an index that begins with the column also sorts the rows.
 */
export function inList(column: Sql, values: readonly (number | string)[]): Sql {
  const [first, ...others] = values;
  if (first === undefined) return sql`FALSE`;
  return others.length === 0 ? sql`${column} = ${first}` : sql`${column} = ANY(${[...values]})`;
}
