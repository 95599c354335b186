import type { Table, Tables } from "./rows";
import type { BoundSql } from "./sql";

// Writes of single rows on the hot path. Each value is bound by itself, because PostgreSQL reads a row from JSON at twice the cost. Lists for
// JSON columns must be bound as text, because pg sends them as arrays.

/**
 * Makes a function that inserts one row.
 *
 * @param suffix SQL after the values, such as `ON CONFLICT …`, without bound values
 */
export function rowInsert<T extends Table, C extends keyof Tables[T] & string>(
  table: T,
  columns: readonly C[],
  suffix = "",
): (row: Readonly<Record<C, unknown>>) => BoundSql {
  const places = columns.map((_, index) => `$${index + 1}`).join(", ");
  const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places}) ${suffix}`;
  const writes = [table];
  return (row) => ({ text, values: columns.map((column) => row[column]), writes });
}

/** Makes a function that updates the row with the same `id`. It sets all of these columns, changed or not, so that the text never varies. */
export function rowUpdate<T extends Table, C extends keyof Tables[T] & string>(
  table: T,
  columns: readonly C[],
): (row: Readonly<Record<C, unknown>> & { id: number }) => BoundSql {
  const assignments = columns.map((column, index) => `${column} = $${index + 1}`).join(", ");
  const text = `UPDATE ${table} SET ${assignments} WHERE id = $${columns.length + 1}`;
  const writes = [table];
  return (row) => ({ text, values: [...columns.map((column) => row[column]), row.id], writes });
}

/** A node of a tree of write sequences: the joined text of the sequence so far, and its continuations by their text. */
interface Combination {
  text: string | null;
  next: Map<string, Combination>;
}

/** Stays small, because statements with fixed text have few combinations. */
const combinations: Combination = { text: null, next: new Map() };

/**
 * Makes one statement of several writes with fixed text, so that PostgreSQL and this process handle one instead of many. The writes
 * don't see each other's changes, so they must write different tables. The result counts the rows affected by the last write.
 */
export function combineWrites(writes: readonly BoundSql[]): BoundSql {
  let place = combinations;
  const values: unknown[] = [];
  for (const write of writes) {
    let next = place.next.get(write.text);
    if (!next) {
      next = { text: null, next: new Map() };
      place.next.set(write.text, next);
    }
    place = next;
    for (const value of write.values) values.push(value);
  }
  place.text ??= joinTexts(writes);
  return { text: place.text, values };
}

function joinTexts(writes: readonly BoundSql[]): string {
  let bound = 0;
  const parts = writes.map(({ text, values }) => {
    const before = bound;
    bound += values.length;
    return text.replace(/\$(\d+)/g, (_, number: string) => `$${before + Number(number)}`);
  });
  const last = parts.pop() ?? "";
  if (parts.length === 0) return last;
  return `WITH ${parts.map((part, index) => `write_${index + 1} AS (${part})`).join(",\n")}\n${last}`;
}
