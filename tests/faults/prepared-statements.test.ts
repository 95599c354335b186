import { describe, expect, test } from "vitest";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { OverloadedError } from "@/lib/platform/errors";
import { owner } from "@/tests/support/owner";

const times = <T>(count: number, work: () => Promise<T>) =>
  Array.from({ length: count }).reduce<Promise<unknown>>((before) => before.then(work), Promise.resolve());
const prepared = (text: string) => db.rows(sql`SELECT name FROM pg_prepared_statements WHERE statement = ${text}`);

describe("prepared statements", () => {
  test("are used for repeated statements, not for single ones", async () => {
    await db.run(sql`SELECT 1 AS once`);
    await times(8, () => db.run(sql`SELECT 2 AS often`));
    expect(await prepared("SELECT 1 AS once")).toHaveLength(0);
    expect(await prepared("SELECT 2 AS often")).toHaveLength(1);
  });

  test("are replaced after a migration changes their columns: after one retryable response, requests succeed", async () => {
    await owner.run(sql`CREATE TABLE stale_probe AS SELECT 1 AS value`);
    await owner.run(sql`GRANT ALL ON stale_probe TO PUBLIC`);
    const read = () => db.rows(sql`SELECT value FROM stale_probe`);
    await times(8, read);
    await owner.run(sql`ALTER TABLE stale_probe ALTER COLUMN value TYPE text`);
    await expect(read()).rejects.toThrow(OverloadedError);
    expect(await read()).toEqual([{ value: "1" }]);
  });

  test("stay within a limit when clients vary everything they can", async () => {
    const queries = Array.from({ length: 320 }, (_, index) => raw(String(index)));
    for (const number of queries) await times(6, () => db.run(sql`SELECT ${number} AS bounded`));
    const [{ count } = { count: 0 }] = await db.rows<{ count: number }>(
      sql`SELECT count(*) AS count FROM pg_prepared_statements`,
    );
    expect(count).toBeGreaterThan(250);
    expect(count).toBeLessThanOrEqual(300);
  });
});
