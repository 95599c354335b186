// Statements that share one Sync (ADR 0225): each gets its own result or error, and the connection stays usable. They rely on parts of pg that it
// does not document.
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pool } from "@/lib/platform/db/pool";
import { QueryGroup, runQuery, wasSkipped } from "@/lib/platform/db/prepared-query";
import { db, fixed, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { property } from "@/lib/platform/objects";

let client: pg.Client & pg.PoolClient;
beforeEach(async () => {
  const connected = await pool().connect();
  if (!(connected instanceof pg.Client)) throw new Error("the pool has another kind of connection");
  client = connected as pg.Client & pg.PoolClient;
});
afterEach(() => client.release());

/** Runs queries as one group. Returns the first column of each result, or the code of its error. */
function runGroup(...queries: (string | pg.QueryConfig)[]) {
  const group = new QueryGroup(client);
  const running = queries.map((query) => runQuery(client, typeof query === "string" ? { text: query } : query, group));
  group.end();
  return Promise.all(
    running.map((result) =>
      result.then(
        ({ rows }) => rows.flatMap((row) => Object.values(row)),
        (error) => error.code ?? error.message,
      ),
    ),
  );
}

const named = (name: string, text: string): pg.QueryConfig => ({ name, text, values: [] });

describe("a group of queries", () => {
  test("gets one result for each, also without rows", async () => {
    const results = await runGroup(
      "SELECT 1 AS n",
      "SET LOCAL work_mem = '8MB'",
      "SELECT 2 AS n UNION SELECT 3 ORDER BY 1",
    );
    expect(results).toEqual([[1], [], [2, 3]]);
  });

  test("is answered once by PostgreSQL", async () => {
    let answers = 0;
    const count = (chunk: Buffer) => {
      answers += chunk.toString("latin1").split("Z\0\0\0\x05").length - 1;
    };
    client.connection.stream.on("data", count);
    await runGroup("SELECT 1", "SELECT 2", "SELECT 3");
    client.connection.stream.off("data", count);
    expect(answers).toBe(1);
  });

  test("fails from the first query that fails, and the connection can be used again", async () => {
    const failing = named("failing_query", "SELECT 1 / 0");
    const later = named("later_query", "SELECT 5 AS n");
    expect(await runGroup("SELECT 1", failing, later, "SELECT 3")).toEqual([[1], "22012", "25P02", "25P02"]);
    expect(await runGroup(later, "SELECT 6")).toEqual([[5], [6]]);
    expect(await runGroup(later, failing)).toEqual([[5], "22012"]);
  });

  test("fails at a value that can't be bound, and the connection can be used again", async () => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const unbound = { text: "SELECT $1::jsonb", values: [endless] };
    for (const queries of [["SELECT 1", unbound], [unbound]]) {
      expect((await runGroup(...queries)).at(-1)).toMatch(/circular/);
      expect(await runGroup("SELECT 4", "SELECT 5")).toEqual([[4], [5]]);
    }
  });

  test("fails with a lost connection", async () => {
    client.on("error", () => {});
    const results = await runGroup("SELECT 1", "SELECT pg_terminate_backend(pg_backend_pid())", "SELECT 3");
    expect(results.slice(1)).toEqual(["57P01", "25P02"]);
  });
});

test("a transaction that fails while statements wait to be sent is rolled back, and its connection can be used again", async () => {
  client.release();
  for (let time = 0; time < 20; time++) {
    const work = transaction(async (tx) => {
      tx.send(sql`SELECT 1 / ${time % 2}::int`);
      throw new Error("stopped");
    });
    await expect(work).rejects.toThrow("stopped");
    expect(await db.one(sql`SELECT ${time}::int AS time, pg_current_xact_id_if_assigned() AS changed`)).toEqual({
      time,
      changed: null,
    });
  }
  client = (await pool().connect()) as typeof client;
});

test("a short read that fails does not fail the others on its connection", async () => {
  const divide = fixed((by: number) => sql`SELECT 12 / ${by}::int AS result`, { isShort: true });
  const results = await Promise.allSettled([1, 2, 0, 3, 0, 4].map((by) => db.one<{ result: number }>(divide(by))));
  expect(results.map((one) => (one.status === "fulfilled" ? one.value.result : one.reason.code))).toEqual([
    12,
    6,
    "22012",
    4,
    "22012",
    3,
  ]);
  expect(results.some((one) => one.status === "rejected" && wasSkipped(one.reason))).toBe(false);
});

describe("a transaction in which a statement fails", () => {
  const failing = sql`SELECT 1 / 0 AS n`;
  const withoutError = sql`SELECT 1 AS n`;
  /** Delays an error, so that a skipped statement is seen to fail first. */
  const slowly = async <T>(result: Promise<T>): Promise<T> => {
    const value = await result.catch(async (error) => {
      for (let turn = 0; turn < 5; turn++) await null;
      throw error;
    });
    return value;
  };
  beforeEach(() => client.release());
  afterEach(async () => {
    client = (await pool().connect()) as typeof client;
  });

  test("throws the original error, even if a skipped statement is seen to fail first", async () => {
    const works: ((tx: Tx) => Promise<unknown>)[] = [
      (tx) => {
        tx.send(failing, () => {});
        return tx.rows(withoutError);
      },
      (tx) => {
        tx.send(failing, () => {});
        tx.send(withoutError);
        return tx.rows(withoutError);
      },
      (tx) => Promise.all([slowly(tx.rows(failing)), tx.rows(withoutError), tx.first(withoutError)]),
      (tx) => Promise.all([slowly(tx.rows(failing)).catch(() => {}), slowly(slowly(tx.rows(withoutError)))]),
      async (tx) => {
        tx.send(failing, () => {});
        await tx.attempt(() => tx.run(withoutError).then(() => {}));
      },
    ];
    for (const work of works) await expect(transaction(work), `${work}`).rejects.toMatchObject({ code: "22012" });
  });

  test("gets the original error from each attempt", async () => {
    const code = (failure: { error: unknown } | null) => property(failure?.error, "code");
    const codes = await transaction(async (tx) => {
      const first = await tx.attempt(async () => {
        tx.send(failing, () => {});
        await tx.rows(withoutError);
      });
      const second = await tx.attempt(async () => {
        tx.send(sql`SELECT ${"x"}::text::int`, () => {});
        await tx.rows(withoutError);
      });
      expect(await tx.one(withoutError)).toEqual({ n: 1 });
      return [code(first), code(second)];
    });
    expect(codes).toEqual(["22012", "22P02"]);
  });

  test("is retried after a deadlock, even if a skipped statement is seen to fail first", async () => {
    let attempts = 0;
    const result = await transaction(async (tx) => {
      attempts++;
      const collision = sql`DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$`;
      if (attempts === 1) tx.send(collision, () => {});
      tx.send(withoutError);
      return tx.one(withoutError);
    });
    expect({ result, attempts }).toEqual({ result: { n: 1 }, attempts: 2 });
  });
});
