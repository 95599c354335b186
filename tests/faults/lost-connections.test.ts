// A database connection is lost during a request: that request gets a 503, and the process continues.
import { spawn } from "node:child_process";
import { once } from "node:events";
import net, { type NetConnectOpts } from "node:net";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { isLostConnection } from "@/lib/platform/db/lost-connection.mjs";
import { pool } from "@/lib/platform/db/pool";
import { db, raw, sql, toOverloaded } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ConflictError, OutcomeUnknownError, OverloadedError } from "@/lib/platform/errors";
import { imageStore } from "@/lib/platform/storage/image-store";
import { withStoredImage } from "@/lib/platform/storage/process-image";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { owner } from "@/tests/support/owner";

beforeAll(async () => {
  await owner.run(sql`CREATE TABLE lost_probe (value int)`);
  await owner.run(sql`GRANT ALL ON lost_probe TO PUBLIC`);
  await owner.run(sql`CREATE FUNCTION lose_connection() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$`);
  await owner.run(sql`CREATE CONSTRAINT TRIGGER lose_at_commit AFTER INSERT ON lost_probe DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.value = 13) EXECUTE FUNCTION lose_connection()`);
});

const count = async () => (await db.first<{ count: number }>(sql`SELECT count(*) AS count FROM lost_probe`))?.count;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );

describe("a lost connection", () => {
  test("between two statements of a transaction changes nothing, and the client may retry", async () => {
    const lost = transaction(async (tx) => {
      await tx.run(sql`INSERT INTO lost_probe VALUES (1)`);
      const own = await tx.first<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
      await db.run(sql`SELECT pg_terminate_backend(${own?.pid}::int)`);
      // Gives the connection time to report its loss while no statement waits for it.
      await new Promise((resolve) => setTimeout(resolve, 200));
      await tx.run(sql`INSERT INTO lost_probe VALUES (2)`);
    });
    const error = await failureOf(lost);
    expect(error).toBeInstanceOf(OverloadedError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(await count()).toBe(0);
  });

  test("during a statement, in a transaction or not, changes nothing either", async () => {
    const suicide = sql`SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(5)`;
    expect(await failureOf(transaction((tx) => tx.run(suicide)))).toBeInstanceOf(OverloadedError);
    expect(await failureOf(db.run(suicide))).toBeInstanceOf(OverloadedError);
    expect(await count()).toBe(0);
  });

  test("is noticed if it is silent during a statement, but not between statements", async () => {
    const client = await pool().connect();
    client.on("error", () => {});
    const { stream } = client instanceof pg.Client ? client.connection : expect.unreachable();
    stream.emit("timeout");
    expect((await client.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    const slept = failureOf(client.query("SELECT pg_sleep(20)"));
    stream.emit("timeout");
    expect(toOverloaded(await slept)).toBeInstanceOf(OverloadedError);
    client.release(true);
  });

  test("during the commit gets a response that does not claim that nothing was changed", async () => {
    const error = await failureOf(transaction((tx) => tx.run(sql`INSERT INTO lost_probe VALUES (13)`)));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ reason: "outcome_unknown", retryAfterSeconds: null });
    expect((error as Error).message).not.toContain("nothing was changed");
    expect(await count()).toBe(0);
  });
});

test("a connection whose database rejects writes is closed, and the client may retry", async () => {
  const removed = once(pool(), "remove");
  const write = transaction(async (tx) => {
    await tx.run(sql`SET TRANSACTION READ ONLY`);
    await tx.run(sql`INSERT INTO lost_probe VALUES (3)`);
  });
  expect(await failureOf(write)).toBeInstanceOf(OverloadedError);
  await removed;
});

test.each([
  ["a full disk", "53100"],
  ["too little memory", "53200"],
  ["too many connections", "53300"],
])("a write that fails because of %s changes nothing, and the client may retry", async (_case, code) => {
  const write = transaction(async (tx) => {
    await tx.run(sql`INSERT INTO lost_probe VALUES (4)`);
    await tx.run(sql`DO ${raw(`$$ BEGIN RAISE EXCEPTION 'no resources' USING ERRCODE = '${code}'; END $$`)}`);
  });
  expect(await failureOf(write)).toBeInstanceOf(OverloadedError);
  expect(await count()).toBe(0);
});

describe("the database can't be reached", () => {
  const connect = (options: NetConnectOpts) =>
    once(net.connect(options), "connect").then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );

  test.each<[string, NetConnectOpts]>([
    ["if nothing listens at its port", { host: "127.0.0.1", port: 1 }],
    ["if its name has no address", { host: "database.invalid", port: 5432 }],
    ["if its socket does not exist", { path: "/nonexistent/.s.PGSQL.5432" }],
  ])("%s, and the client may retry", async (_case, options) => {
    const error = await connect(options);
    expect(toOverloaded(error), String(error)).toBeInstanceOf(OverloadedError);
    expect(describeSystemFailure(error, { databaseUrl: "postgresql://u@db/crosswalk" })).toMatch(
      /^The database at db:5432\/crosswalk can't be reached: |^There is no host database\.invalid /,
    );
  });

  test.each(["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN"])("once its network fails with %s", (code) => {
    expect(isLostConnection(Object.assign(new Error(`read ${code}`), { code, syscall: "read" }))).toBe(true);
  });
});

describe("the card image of a write", () => {
  const image = { content: Buffer.from("bytes"), content_type: "image/png", width: 1, height: 1 } as const;

  test.each([
    ["stays if the outcome is unknown", new OutcomeUnknownError(), true],
    ["stays if the service is busy", new OverloadedError(), true],
    ["is deleted if the write was rejected", new ConflictError("any", "Refused."), false],
  ])("%s", async (_case, error, stays) => {
    let key = "";
    const write = withStoredImage(image, { createdDate: "2026-01-01T00:00:00.000Z" }, async ({ image_key }) => {
      key = image_key;
      throw error;
    });
    await expect(write).rejects.toBe(error);
    expect((await imageStore().get(key)) !== null).toBe(stays);
  });
});

test("a program ends although a timer has used the database after its connections were closed", async () => {
  const program = `
    const { closePool } = await import(${JSON.stringify(inRoot("lib/platform/db/pool.ts"))});
    const { db, sql } = await import(${JSON.stringify(inRoot("lib/platform/db/sql.ts"))});
    await db.run(sql\`SELECT 1\`);
    await closePool();
    await db.run(sql\`SELECT 1\`);
    console.log("used");`;
  const args = ["--import", inRoot("node_modules/tsx/dist/loader.mjs"), "--input-type=module", "--eval", program];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  await Promise.race([once(child.stdout, "data"), ended]);
  const hangs = setTimeout(() => child.kill("SIGKILL"), 10_000);
  expect([output, ...(await ended)]).toEqual(["used\n", 0, null]);
  clearTimeout(hangs);
});
