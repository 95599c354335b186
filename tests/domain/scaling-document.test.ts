// docs/scaling.md has figures of benchmarks and of a simulation, and says which tables could be distributed by practice. This compares it
// with the published results and the database.
import fs from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { ASSUMPTIONS } from "@/bench/scaling/assumptions";
import { formatCosts, readCosts } from "@/bench/scaling/costs";
import { fillDocument, readResults } from "@/bench/scaling/document";
import { passage, replacePassages } from "@/bench/scaling/passages";
import { auditShare, largestPractice, partsOfOneCell, simulate, simulateChanges } from "@/bench/scaling/world";
import { db, sql } from "@/lib/platform/db/sql";
import { expectStoresAgree } from "@/tests/support/stores";
import { call, MARIA, seedBasics, seedPatient } from "../support/api";
import { owner } from "../support/owner";

const document = fs.readFileSync("docs/scaling.md", "utf8");

/** The document without line breaks. */
const unwrapped = document.replace(/\s+/g, " ");

/** The tables that the document names in each class. */
const classes: Record<string, string[]> = Object.fromEntries(
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

/** Columns that name a row of another table without a foreign key, because their rows outlive it or are written without checks. */
const WITHOUT_FOREIGN_KEY: Record<string, string> = { policy_id: "policy", client_id: "oauth_client" };

test("the other classes are those that the columns and foreign keys lead to", async () => {
  const columns = await db.rows<{ name: string; column: string; required: boolean }>(sql`
    SELECT c.relname AS name, a.attname AS column, a.attnotnull AS required
    FROM pg_attribute a JOIN (SELECT * FROM ${TABLES}) c ON c.oid = a.attrelid WHERE a.attnum > 0 AND a.atttypid = 'bigint'::regtype`);
  const keys = await db.rows<{ name: string; target: string }>(sql`
    SELECT c.relname AS name, f.confrelid::regclass::text AS target
    FROM pg_constraint f JOIN (SELECT * FROM ${TABLES}) c ON c.oid = f.conrelid WHERE f.contype = 'f'`);
  const columnsOf = (table: string) => columns.filter(({ name }) => name === table);
  const parentsOf = (table: string) => [
    ...keys.filter(({ name, target }) => name === table && target !== table).map(({ target }) => target),
    ...columnsOf(table).flatMap(({ column }) => WITHOUT_FOREIGN_KEY[column] ?? []),
  ];
  const classOf = (table: string): string => {
    if (table === "organization") return "Belong to an organization";
    if (table === "practice") return "Reach it through another table";
    const practice = columnsOf(table).find(({ column }) => column === "practice_id");
    if (practice) return practice.required ? "Have the key" : "Have it only in some rows";
    const parents = parentsOf(table).map(classOf);
    if (parents.length === 0) return "Belong to the installation";
    const isOfOrganization = parents.every((each) => each === "Belong to an organization");
    return isOfOrganization ? "Belong to an organization" : "Reach it through another table";
  };
  const tables = await namesOf();
  for (const [name, named] of Object.entries(classes))
    expect([...named].sort(), name).toEqual(tables.filter((table) => classOf(table) === name));
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

test("only figures are replaced, wherever lines break", () => {
  const text = "It takes 4.3 kB.\nTwo\npractices (0.4 GB)\nneed 1,000\nms.";
  const passages = [passage`It takes ${"12.5 kB"}.`, passage`Two practices (${"0.4 GB"}) need ${"2,000 ms"}.`];
  expect(replacePassages(text, passages)).toBe("It takes 12.5 kB.\nTwo\npractices (0.4 GB)\nneed 2,000 ms.");
  expect(() => replacePassages(text, [passage`It took ${"5 kB"}.`])).toThrow("It took 5 kB.");
  expect(() => replacePassages(text, [passage`B${"5"}.`])).toThrow("exactly once");
});

describe("the simulation", () => {
  const world = simulate(ASSUMPTIONS, readCosts());

  test("has the figures of the document", () => {
    const hint = "To write the new figures to docs/scaling.md, run: npm run bench:cells -- --publish";
    expect(document, hint).toBe(fillDocument(document, world, readResults()));
  });

  test("has the assumptions that the document names", () => {
    const table = document.slice(document.indexOf("| option | value |"), document.indexOf("## What one machine"));
    const options = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) => [
      ...(cell ?? "").matchAll(/`(\w+)`/g),
    ]);
    expect(options.map(([, name]) => name).sort()).toEqual(Object.keys(ASSUMPTIONS).sort());
  });

  test("supports the sentences without figures", () => {
    const { costs, capacity } = world;
    const parts = partsOfOneCell(world);
    const { everyTenthDoubles } = simulateChanges(world);
    const audit = auditShare(world) * largestPractice(world).bytes;
    const claims: Record<string, boolean> = {
      "**Size comes next.**": parts.patients > parts.bytes && parts.bytes > Math.max(parts.cores, parts.wal),
      "By size alone, a cell could hold": parts.patients > parts.bytes,
      "because CPU time isn't scarce": parts.cores < parts.bytes / 10,
      "less than what one core of PostgreSQL copies": ASSUMPTIONS.moveBytes < costs.copyBytesPerCpuSecond,
      "if every tenth practice doubles, no cell exceeds 80%": everyTenthDoubles.moves.length === 0,
      "because its audit log alone fills one": audit * 50 > capacity.bytes,
    };
    for (const [sentence, isTrue] of Object.entries(claims)) {
      expect(unwrapped.includes(sentence), `docs/scaling.md no longer says "${sentence}"`).toBe(true);
      expect(isTrue, `docs/scaling.md says "${sentence}"`).toBe(true);
    }
  });
});

test("the effects of a second server are those of its table", () => {
  const table = document.slice(document.indexOf("### A second server"), document.indexOf("## 10,000 practices"));
  const rates = [...table.matchAll(/^\| .*?\| [12] \| ([\d,]+) \|/gm)].map(([, rate]) =>
    Number(rate?.replace(",", "")),
  );
  const [get1 = 0, get2 = 0, list1 = 0, list2 = 0, put1 = 0, put2 = 0] = rates;
  const percent = (ratio: number) => Math.round(Math.abs(ratio - 1) * 100);
  const [sentence] = /writes \S+ faster, and reads .*? slower/.exec(unwrapped) ?? [];
  expect(sentence).toBe(
    `writes ${percent(put2 / put1)}% faster, and reads ${percent(get2 / get1)} to ${percent(list2 / list1)}% slower`,
  );
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
