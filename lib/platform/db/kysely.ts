import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Tables } from "./rows";

/** `execute()` would bypass our transactions, so it fails instead of returning nothing. */
class NoConnection extends DummyDriver {
  override async acquireConnection(): Promise<never> {
    throw new Error("run a query with rows, first, one or run of a Db");
  }
}

/**
 * Builds statements whose columns and result the compiler checks against prisma/schema. `Db` runs them, on the pool or in a transaction:
 * `db.rows(kysely.selectFrom("practice").select("id"))`. Write SQL if it is shorter, or if Kysely can't express it (ADR 0188).
 * Bind jsonb with `insertInto` or `json`, because pg sends arrays as PostgreSQL arrays.
 */
export const kysely = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new NoConnection(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Compares a column with a list: `where("id", "=", anyOf(ids))`. Unlike with `in`, the list may be empty. */
export function anyOf<T extends number | string>(values: readonly T[]): RawBuilder<T> {
  return sql<T>`any(${values})`;
}
