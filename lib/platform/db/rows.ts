import type { Selectable } from "kysely";
import type { DB } from "@/generated/rows/tables";

/** Names of the tables. */
export type Table = keyof DB;

/** Array columns that can be NULL. Prisma has no optional lists, so the generated types lack it. */
export const NULLABLE_ARRAYS = {
  idempotency_key: ["patients", "unnamed"],
  migration_run: ["created_companies"],
} as const satisfies { [T in Table]?: readonly (keyof DB[T])[] };

type NullableArray<T> = T extends keyof typeof NULLABLE_ARRAYS ? (typeof NULLABLE_ARRAYS)[T][number] : never;

/** The tables with all their columns, for Kysely. */
export type Tables = {
  [T in Table]: { [C in keyof DB[T]]: C extends NullableArray<T> ? DB[T][C] | null : DB[T][C] };
};

/**
 * A row of a table with all its columns, or with those named, such as `Row<"policy", "id" | "version">`. Names and types are
 * those of the database. They follow prisma/schema, so a renamed column breaks the compile.
 */
export type Row<T extends Table, Selected extends keyof Selectable<Tables[T]> = keyof Selectable<Tables[T]>> = Pick<
  Selectable<Tables[T]>,
  Selected
>;
