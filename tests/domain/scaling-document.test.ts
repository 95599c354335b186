// docs/scaling.md says which tables could be distributed by practice. This compares it with the database.
import fs from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { formatCosts, readCosts } from "@/bench/scaling/costs";
import { db, sql } from "@/lib/platform/db/sql";
import { expectStoresAgree } from "@/tests/support/stores";
import { call, MARIA, seedBasics, seedPatient } from "../support/api";
import { owner } from "../support/owner";

const document = fs.readFileSync("docs/scaling.md", "utf8");

/** The tables that the document names in each class. */
const classes = Object.fromEntries(
  [...document.matchAll(/^\| \*\*(.+?)\*\* \| (.+?) \|/gm)].map(([, name, cells]) => [
    name,
    [...(cells ?? "").matchAll(/`(\w+)`/g)].map(([, table]) => table as string),
  ]),
);

/** Tables, but not their partitions. */
const TABLES = sql`pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition
  AND c.relname <> '_prisma_migrations'`;
const PRACTICE_COLUMN = sql`(SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'practice_id' AND a.attnotnull)`;

const namesOf = async (condition = sql`TRUE`) =>
  (await db.rows<{ name: string }>(sql`SELECT c.relname AS name FROM ${TABLES} AND ${condition} ORDER BY 1`)).map(
    ({ name }) => name,
  );

test("each table is in exactly one class", async () => {
  expect(Object.values(classes).flat().sort()).toEqual(await namesOf());
});

test("the tables with the key of a practice are those that have the column", async () => {
  expect([...(classes["Have the key"] ?? [])].sort()).toEqual(await namesOf(sql`${PRACTICE_COLUMN} IS NOT NULL`));
});

test("the counts of unique indexes, foreign keys and triggers are right", async () => {
  const counts = await db.one<Record<string, number>>(sql`
    WITH t AS (SELECT c.oid, ${PRACTICE_COLUMN} AS practice FROM ${TABLES})
    SELECT
      (SELECT count(*) FROM pg_index i JOIN t ON i.indrelid = t.oid WHERE i.indisunique) AS indexes,
      (SELECT count(*) FROM pg_index i JOIN t ON i.indrelid = t.oid
        WHERE i.indisunique AND NOT coalesce(t.practice = ANY (i.indkey), false)) AS without_key,
      (SELECT count(*) FROM pg_constraint f JOIN t ON f.conrelid = t.oid WHERE f.contype = 'f') AS foreign_keys,
      (SELECT count(*) FROM pg_trigger g JOIN t ON g.tgrelid = t.oid WHERE NOT g.tgisinternal) AS triggers`);
  const { indexes, without_key, foreign_keys, triggers } = counts;
  expect(document).toContain(`${without_key} of ${indexes} unique indexes`);
  expect(document).toContain(`${foreign_keys} foreign keys`);
  expect(document).toContain(`${triggers} triggers`);
});

test("the costs are those of the last published run", () => {
  expect(document).toContain(formatCosts(readCosts().costs));
});

describe("a cell with a high range of IDs", () => {
  const FIRST = 7_000_000_000_000;
  beforeAll(async () => {
    const sequences = await owner.rows<{ name: string }>(
      sql`SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of sequences) await owner.run(sql`SELECT setval(${name}::regclass, ${FIRST})`);
  });

  test("serves writes and reads of both stores", async () => {
    const { token, enabled, physicians } = await seedBasics();
    const patient = await seedPatient(enabled, physicians.enabled);
    expect(patient).toBeGreaterThan(FIRST);
    const created = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
    expect(created.status).toBe(201);
    expect(created.body.id).toBeGreaterThan(FIRST);
    const path = `patients/${patient}/policies/${created.body.id}`;
    const changed = await call("PUT", path, { token, body: { ...MARIA, rank: 1, member_id: "R7" } });
    expect([changed.status, changed.body.id]).toEqual([200, created.body.id]);
    expect((await call("GET", path, { token })).body.member_id).toBe("R7");
    await expectStoresAgree(patient);
  });
});
