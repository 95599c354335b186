// Pipelined transactions (ADR 0189): the order of statements, which error is thrown, and what a savepoint undoes.
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { db, fixed, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { owner } from "../support/owner";

beforeAll(async () => {
  await owner.run(sql`CREATE TABLE sent_probe (value int PRIMARY KEY CHECK (value < 100))`);
  await owner.run(sql`CREATE TABLE combined_probe (id int PRIMARY KEY, value int REFERENCES sent_probe)`);
  await owner.run(sql`GRANT ALL ON sent_probe, combined_probe TO PUBLIC`);
});

beforeEach(async () => {
  await db.run(sql`DELETE FROM combined_probe`);
  await db.run(sql`DELETE FROM sent_probe`);
});

const insert = (value: number) => sql`INSERT INTO sent_probe VALUES (${value})`;
const stored = async (read: Pick<Tx, "rows"> = db) =>
  (await read.rows<{ value: number }>(sql`SELECT value FROM sent_probe ORDER BY value`)).map(({ value }) => value);
const tooLarge = { constraint: "sent_probe_value_check" };

describe("statements that were sent", () => {
  test("run before those that are called later, and are committed", async () => {
    const seen = await transaction(async (tx) => {
      tx.send(insert(1));
      tx.send(insert(2));
      return stored(tx);
    });
    expect(seen).toEqual([1, 2]);
    expect(await stored()).toEqual([1, 2]);
  });

  test("are committed if nothing follows", async () => {
    await transaction(async (tx) => tx.send(insert(3)));
    expect(await stored()).toEqual([3]);
  });

  test.each([
    ["the next one that is awaited", async (tx: Tx) => expect(stored(tx)).rejects.toMatchObject(tooLarge)],
    ["settle", async (tx: Tx) => expect(tx.settle()).rejects.toMatchObject(tooLarge)],
    ["the commit", async () => {}],
  ])("fail %s with the error of the first that failed", async (_case, next) => {
    const work = transaction(async (tx) => {
      tx.send(insert(1));
      tx.send(insert(100));
      tx.send(insert(2));
      await next(tx);
      if (_case !== "the commit") throw new Error("handled");
    });
    await expect(work).rejects.toMatchObject(_case === "the commit" ? tooLarge : { message: "handled" });
    expect(await stored()).toEqual([]);
  });

  test("are rolled back with a dry run, which reports their errors too", async () => {
    await transaction(async (tx) => tx.send(insert(1)), { rollback: true });
    expect(await stored()).toEqual([]);
    const failing = transaction(async (tx) => tx.send(insert(100)), { rollback: true });
    await expect(failing).rejects.toMatchObject(tooLarge);
  });
});

describe("writes with fixed text", () => {
  const insertValue = fixed((value: number) => insert(value), { writes: ["sent_probe"] });
  const insertRow = fixed((id: number, value: number) => sql`INSERT INTO combined_probe VALUES (${id}, ${value})`, {
    writes: ["combined_probe"],
  });
  const updateRow = fixed(
    (id: number, value: number) => sql`UPDATE combined_probe SET value = ${value} WHERE id = ${id}`,
    {
      writes: ["combined_probe"],
    },
  );
  /** Lists rows with the place of the statement that wrote them last, of those whose rows are left. */
  const rows = () =>
    db.rows(sql`
      SELECT kind, value, dense_rank() OVER (ORDER BY command) AS place
      FROM (SELECT 'value' AS kind, value, cmin::text::int AS command FROM sent_probe
        UNION ALL SELECT 'row', value, cmin::text::int FROM combined_probe) AS written
      ORDER BY kind DESC, value`);

  test("of different tables are one statement, in which a row may refer to another one", async () => {
    await transaction(async (tx) => {
      tx.send(insertRow(1, 5));
      tx.send(insertValue(5));
    });
    expect(await rows()).toEqual([
      { kind: "value", value: 5, place: 1 },
      { kind: "row", value: 5, place: 1 },
    ]);
  });

  test("of the same table run in their order", async () => {
    await transaction(async (tx) => {
      tx.send(insertValue(6));
      tx.send(insertRow(2, 6));
      tx.send(insertValue(7));
      tx.send(updateRow(2, 7));
    });
    expect(await rows()).toEqual([
      { kind: "value", value: 6, place: 1 },
      { kind: "value", value: 7, place: 2 },
      { kind: "row", value: 7, place: 2 },
    ]);
  });

  test("are seen by a statement that is sent or awaited after them", async () => {
    await transaction(async (tx) => {
      tx.send(insertValue(8));
      expect(await stored(tx)).toEqual([8]);
      tx.send(insertValue(9));
      tx.send(sql`UPDATE sent_probe SET value = 10 WHERE value = 9`);
    });
    expect(await stored()).toEqual([8, 10]);
  });

  test("report the rows that a counted one affects", async () => {
    const counts: number[] = [];
    await transaction(async (tx) => {
      tx.send(updateRow(404, 1), (affected) => counts.push(affected));
      tx.send(insertValue(1));
    });
    expect(counts).toEqual([0]);
    expect(await stored()).toEqual([1]);
  });

  test.each(["settle", "the commit"])("are undone together, and fail %s", async (fails) => {
    const work = transaction(async (tx) => {
      tx.send(insertValue(1));
      tx.send(insertRow(3, 404));
      if (fails === "settle") await tx.settle();
    });
    await expect(work).rejects.toMatchObject({ code: "23503" });
    expect(await stored()).toEqual([]);
  });
});

test("a commit after an ignored failure is an error, because PostgreSQL rolled back", async () => {
  const work = transaction(async (tx) => {
    await tx.run(insert(1));
    await tx.run(insert(100)).catch(() => {});
  });
  await expect(work).rejects.toThrow("a failed statement was ignored");
  expect(await stored()).toEqual([]);
});

describe("an attempt", () => {
  test("that succeeds stays", async () => {
    await transaction(async (tx) => {
      expect(await tx.attempt(async () => tx.send(insert(1)))).toBeNull();
    });
    expect(await stored()).toEqual([1]);
  });

  test.each([
    ["a statement that was sent", async (tx: Tx) => tx.send(insert(100)), tooLarge],
    ["a statement that was awaited", async (tx: Tx) => void (await tx.run(insert(100))), tooLarge],
    ["an exception", async () => Promise.reject(new Error("any")), { message: "any" }],
  ])("that fails by %s is undone alone", async (_case, failing, error) => {
    await transaction(async (tx) => {
      tx.send(insert(1));
      const failure = await tx.attempt(async () => {
        tx.send(insert(2));
        await failing(tx);
      });
      expect(failure?.error).toMatchObject(error);
      tx.send(insert(3));
    });
    expect(await stored()).toEqual([1, 3]);
  });

  test("does not swallow the failure of a statement sent before it", async () => {
    const work = transaction(async (tx) => {
      tx.send(insert(100));
      await tx.attempt(async () => tx.send(insert(2)));
    });
    await expect(work).rejects.toMatchObject(tooLarge);
    expect(await stored()).toEqual([]);
  });
});
