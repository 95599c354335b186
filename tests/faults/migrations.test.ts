import { createHash } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { concurrentIndex, deploy, status } from "@/scripts/lib/migrations.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { RUNTIME_ROLE } from "@/scripts/lib/roles.mjs";
import { databaseUrl } from "../support/databases";

const migration = (name: string, sql: string) => ({
  name,
  sql,
  checksum: createHash("sha256").update(sql).digest("hex"),
});
const first = migration("1_first", "create table counted (n int); insert into counted values (1)");
const broken = migration("2_broken", "create table half (n int); insert into nowhere values (1)");
const name = `${inject("run")}_migrations`;
const url = databaseUrl(inject("server"), name);

beforeAll(() => asAdmin(inject("server"), (client) => client.query(`create database ${name}`)));
afterAll(() => asAdmin(inject("server"), (client) => client.query(`drop database ${name} with (force)`)));

test("processes that start at once apply a migration once", async () => {
  const results = await Promise.all(Array.from({ length: 6 }, () => deploy(url, [first])));
  expect(results.flatMap(({ applied }) => applied)).toEqual(["1_first"]);
});

test("a failing migration leaves nothing behind and reports which one failed and why", async () => {
  await expect(deploy(url, [first, broken])).rejects.toThrow(/migration 2_broken.*nowhere/);
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("select to_regclass('half') as half");
  await client.end();
  expect(rows[0].half).toBeNull();
  expect((await status(url, [first, broken])).pending.map((entry: { name: string }) => entry.name)).toEqual([
    "2_broken",
  ]);
});

test("a migration that was edited after it was applied produces a warning", async () => {
  const { warnings } = await deploy(url, [{ ...first, checksum: "0".repeat(64) }]);
  expect(warnings).toEqual(["migration 1_first was changed after it was applied"]);
});

test("a migration waits for a long transaction without holding up others, and is applied afterwards", async () => {
  const [reader, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([reader.connect(), other.connect()]);
  await reader.query("begin; select from counted");
  const added = migration("3_added", "alter table counted add column note text");
  const deployed = deploy(url, [first, added]);
  const waits = "select count(*)::int as n from pg_locks where relation = 'counted'::regclass and not granted";
  await expect.poll(async () => (await other.query(waits)).rows[0].n).toBe(1);
  // Queues behind the migration until this gives up its turn.
  expect((await other.query("select n from counted")).rows).toEqual([{ n: 1 }]);
  await reader.query("commit");
  expect((await deployed).applied).toEqual(["3_added"]);
  expect((await other.query("select note from counted")).rows).toEqual([{ note: null }]);
  await Promise.all([reader.end(), other.end()]);
});

const INDEX = "-- For searches.\ncreate index concurrently if not exists counted_n on counted (n);\n";
const indexed = migration("4_indexed", INDEX);
const isValid = "select indisvalid as valid from pg_index where indexrelid = to_regclass('counted_n')";

test("a concurrent index does not block writes, is created by one of several processes, and is recreated after an interruption", async () => {
  const [writer, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([writer.connect(), other.connect()]);
  await writer.query("begin; insert into counted values (2)");
  const interrupted = deploy(url, [first, indexed]).catch((error: Error) => error);
  const creating = "select pid from pg_stat_progress_create_index";
  await expect.poll(async () => (await other.query(creating)).rows).toHaveLength(1);
  // Doesn't wait for the index.
  await other.query("insert into counted values (3)");
  const [{ pid }] = (await other.query(creating)).rows;
  await other.query("select pg_terminate_backend($1)", [pid]);
  expect(await interrupted).toMatchObject({ message: expect.stringContaining("4_indexed: terminating connection") });
  expect((await other.query(isValid)).rows).toEqual([{ valid: false }]);
  await writer.query("commit");
  const results = await Promise.all(Array.from({ length: 4 }, () => deploy(url, [first, indexed])));
  expect(results.flatMap(({ applied }) => applied)).toEqual(["4_indexed"]);
  expect((await other.query(isValid)).rows).toEqual([{ valid: true }]);
  await Promise.all([writer.end(), other.end()]);
});

test("an index is dropped while others write, even after an interruption", async () => {
  const [writer, other] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([writer.connect(), other.connect()]);
  await deploy(url, [first, indexed]);
  const dropped = [first, indexed, migration("5_dropped", "drop index concurrently if exists counted_n;\n")];
  await writer.query("begin; insert into counted values (2)");
  const interrupted = deploy(url, dropped).catch((error: Error) => error);
  const waiting =
    "select pid from pg_stat_activity where query like 'drop index concurrently%' and wait_event_type = 'Lock'";
  await expect.poll(async () => (await other.query(waiting)).rows).toHaveLength(1);
  await other.query("insert into counted values (3)");
  const [{ pid }] = (await other.query(waiting)).rows;
  await other.query("select pg_terminate_backend($1)", [pid]);
  expect(await interrupted).toMatchObject({ message: expect.stringContaining("5_dropped: terminating connection") });
  expect((await other.query(isValid)).rows).toEqual([{ valid: false }]);
  await writer.query("commit");
  expect((await deploy(url, dropped)).applied).toEqual(["5_dropped"]);
  expect((await other.query(isValid)).rows).toEqual([]);
  await Promise.all([writer.end(), other.end()]);
});

test.each([
  "create index counted_n on counted (n)",
  "create index concurrently counted_n on counted (n)",
  "create index concurrently if not exists counted_n on counted (n); drop table counted",
  "drop index counted_n",
  "drop index concurrently if exists counted_n; drop table counted",
])("%s is not run outside a transaction", (sql) => {
  expect(concurrentIndex({ sql })).toBeNull();
});

test("the rights of the server's role are committed with the migration that creates the table", async () => {
  // grants.mjs lists a table of this name.
  const added = migration("6_alert", "create table alert (id bigserial primary key)");
  const later = migration("7_broken", "insert into nowhere values (1)");
  await expect(deploy(url, [first, added, later], RUNTIME_ROLE)).rejects.toThrow("7_broken");
  const { rows } = await asAdmin(url, (client) =>
    client.query(
      `select has_table_privilege($1, c.oid, 'delete') as writes, has_sequence_privilege($1, 'alert_id_seq', 'usage') as counts,
         c.xmin = m.xmin as together
       from pg_class c, "_prisma_migrations" m where c.oid = 'alert'::regclass and m.migration_name = '6_alert'`,
      [RUNTIME_ROLE],
    ),
  );
  expect(rows).toEqual([{ writes: true, counts: true, together: true }]);
});

test("the rights of a role are granted before a concurrent index counts as applied", async () => {
  const grants = "select has_table_privilege($1, 'alert', 'delete') as writes";
  await asAdmin(url, (client) => client.query(`revoke all on alert from ${RUNTIME_ROLE}`));
  const index = migration("8_index", "create index concurrently if not exists alert_again on alert (id);\n");
  const later = migration("9_broken", "insert into nowhere values (1)");
  await expect(deploy(url, [first, index, later], RUNTIME_ROLE)).rejects.toThrow("9_broken");
  const { rows } = await asAdmin(url, (client) => client.query(grants, [RUNTIME_ROLE]));
  expect(rows).toEqual([{ writes: true }]);
});
