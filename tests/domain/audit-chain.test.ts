// `npm run audit:verify` names a row that was changed, removed or inserted by hand.
import fs from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { parseAnchors } from "@/lib/access/audit/anchors";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient } from "@/tests/support/api";
import { sealAll } from "@/tests/support/audit";
import { asOwner, owner } from "@/tests/support/owner";
import { runScript } from "@/tests/support/run-script";

const ENTRIES = 12;
/** Blocks of 5, 5 and 2 entries. */
const BLOCKS = 3;
let basics: Basics;
let folder: string;
let patients: number[];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "crosswalk-audit-"));
  basics = await seedBasics();
  const { token } = basics;
  patients = [];
  for (const [practice, physician] of [
    [basics.enabled, basics.physicians.enabled],
    [basics.disabled, basics.physicians.disabled],
  ] as const) {
    const patient = await seedPatient(practice, physician, "Zoë Ångström");
    patients.push(patient);
    for (let at = 0; at < ENTRIES / 2; at++) {
      await call("PATCH", `patients/${patient}`, { token, body: { middle_name: `N${at}` } });
      await call("GET", `patients/${patient}`, { token, headers: { "x-change-reason": "größer: 5:x-" } });
    }
    await sealAll(5);
  }
  return () => rm(folder, { recursive: true });
});

/** Acts with full rights on the database, bypassing triggers. */
async function tamper(...statements: string[]): Promise<void> {
  await asOwner(async (tx) => {
    await tx.run(sql`SET LOCAL session_replication_role = replica`);
    for (const statement of statements) await tx.run(raw(statement));
  });
}

const TABLES = ["audit_entry", "audit_block", "audit_pending"];

/** Copies the original rows, and restores them after each test. */
beforeAll(() => tamper(...TABLES.map((table) => `CREATE TABLE saved_${table} AS TABLE ${table}`)));
afterEach(() =>
  tamper(...TABLES.flatMap((table) => [`DELETE FROM ${table}`, `INSERT INTO ${table} TABLE saved_${table}`])),
);

test("untouched chains verify completely", async () => {
  const { entries, heads, broken, unsealed } = await verifyAudit();
  expect([broken, unsealed]).toEqual([[], []]);
  expect(entries).toBe(2 * ENTRIES);
  expect(heads).toEqual(
    [basics.enabled, basics.disabled].map((practice) => ({
      practice,
      block: BLOCKS,
      seq: ENTRIES,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })),
  );
});

test("entries that are not sealed yet are counted, with the time of the oldest, and don't break a chain", async () => {
  const { token } = basics;
  const before = new Date().toISOString();
  for (let at = 0; at < 3; at++) await call("GET", `patients/${patients[1]}`, { token });
  const { broken, unsealed, heads } = await verifyAudit();
  expect([broken, heads.map(({ seq }) => seq)]).toEqual([[], [ENTRIES, ENTRIES]]);
  expect(unsealed).toEqual([
    { practice: basics.disabled, entries: 3, since: expect.toSatisfy((time: string) => time >= before) },
  ]);
  const { code, stdout } = await runScript("audit-verify.ts", []);
  expect([code, stdout]).toEqual([0, expect.stringContaining(`practice ${basics.disabled}: 3 entries not sealed yet`)]);
});

describe("the first broken link is named if", () => {
  const at = (seq: number) => `practice_id = ${basics.enabled} AND seq = ${seq}`;
  const changes: [column: string, value: string][] = [
    ["id", "id + 1000"],
    ["occurred_date", "occurred_date + interval '1 ms'"],
    ["actor_type", "'staff'"],
    ["actor_id", "actor_id + 1"],
    ["actor_name", "'Somebody else'"],
    ["kind", "(CASE kind WHEN 'read' THEN 'change' ELSE 'read' END)::audit_kind"],
    ["operation", "'policies.get'"],
    ["path", "NULL"],
    ["patients", "patients || 7::bigint"],
    ["source", "'staff'"],
    ["address", "'203.0.113.1'"],
    ["reason", "'-'"],
    ["request_id", "request_id || ' '"],
    ["hash", "sha256(hash)"],
  ];
  test.each(changes)("%s of an entry is changed", async (column, value) => {
    await tamper(`UPDATE audit_entry SET ${column} = ${value} WHERE ${at(5)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ practice: basics.enabled, seq: 5 }]);
  });

  test.each(["patients", "hash"])("%s of an entry is removed", async (column) => {
    const alter = `ALTER TABLE audit_entry ALTER COLUMN ${column}`;
    await tamper(`${alter} DROP NOT NULL`, `UPDATE audit_entry SET ${column} = NULL WHERE ${at(5)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ practice: basics.enabled, seq: 5 }]);
    await tamper(`DELETE FROM audit_entry WHERE ${at(5)}`, `${alter} SET NOT NULL`);
  });

  test("text moves from one field to the next", async () => {
    await tamper(`UPDATE audit_entry SET operation = operation || 'x', path = substr(path, 2) WHERE ${at(4)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 4 }]);
  });

  test("an entry is removed, in the middle or at the end", async () => {
    await tamper(`DELETE FROM audit_entry WHERE ${at(7)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 7, problem: "entry 7 is missing" }]);
    await tamper(`DELETE FROM audit_entry WHERE practice_id = ${basics.enabled} AND seq >= 7`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 7 }]);
    await tamper(`DELETE FROM audit_entry WHERE practice_id = ${basics.enabled}`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 1 }]);
  });

  test("an entry is inserted without a block", async () => {
    await tamper(`INSERT INTO audit_entry SELECT (e).* FROM (
      SELECT jsonb_populate_record(a, '{"seq": 13}') AS e FROM audit_entry a WHERE ${at(12)}) AS copied`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 13, problem: "it belongs to no block" }]);
  });

  test("two entries are swapped", async () => {
    const swap = (from: number, to: number) => `UPDATE audit_entry SET seq = ${to} WHERE ${at(from)}`;
    await tamper(swap(3, 1000), swap(4, 3), swap(1000, 4));
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 3 }]);
  });

  const block = (number: number) => `practice_id = ${basics.enabled} AND number = ${number}`;
  test.each([
    ["first_seq", "first_seq + 1", 6],
    ["last_seq", "last_seq - 1", 6],
    ["prev_hash", "sha256(prev_hash)", 6],
    ["hash", "sha256(hash)", 6],
    ["sealed_date", "sealed_date + interval '1 ms'", 6],
    ["number", "number + 5", 6],
  ])("%s of a block is changed", async (column, value, seq) => {
    await tamper(`UPDATE audit_block SET ${column} = ${value} WHERE ${block(2)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ practice: basics.enabled, seq }]);
  });

  test("a block is removed, in the middle or at the end", async () => {
    await tamper(`DELETE FROM audit_block WHERE ${block(2)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 6, problem: "block 2 is missing" }]);
    await tamper(`DELETE FROM audit_block WHERE ${block(3)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 6, problem: "it belongs to no block" }]);
  });

  test("two blocks are swapped", async () => {
    const swap = (from: number, to: number) => `UPDATE audit_block SET number = ${to} WHERE ${block(from)}`;
    await tamper(swap(1, 1000), swap(2, 1), swap(1000, 2));
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 1 }]);
  });

  test("two blocks are merged", async () => {
    await tamper(
      `DELETE FROM audit_block WHERE ${block(1)}`,
      `UPDATE audit_block SET number = 1, first_seq = 1, prev_hash = '' WHERE ${block(2)}`,
    );
    expect((await verifyAudit()).broken).toMatchObject([{ practice: basics.enabled, seq: 1 }]);
  });

  test("the end is cut off with its block, by comparison with an anchor", async () => {
    const { heads } = await verifyAudit();
    await tamper(
      `DELETE FROM audit_entry WHERE practice_id = ${basics.enabled} AND seq > 10`,
      `DELETE FROM audit_block WHERE ${block(3)}`,
    );
    expect((await verifyAudit()).broken).toEqual([]);
    expect((await verifyAudit(heads)).broken).toMatchObject([{ practice: basics.enabled, seq: 11 }]);
  });

  test("the whole chain is rewritten with valid hashes, by comparison with an anchor", async () => {
    const { heads } = await verifyAudit();
    const columns = `practice_id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients, source, address,
      reason, request_id`;
    await tamper(
      `INSERT INTO audit_pending (${columns}) SELECT ${columns.replace("actor_name", "'Nobody'")} FROM audit_entry
       WHERE practice_id = ${basics.enabled} ORDER BY seq`,
      `DELETE FROM audit_entry WHERE practice_id = ${basics.enabled}`,
      `DELETE FROM audit_block WHERE practice_id = ${basics.enabled}`,
    );
    await sealAll(5);
    expect(await verifyAudit()).toMatchObject({ entries: 2 * ENTRIES, broken: [] });
    expect((await verifyAudit(heads)).broken).toMatchObject([
      { practice: basics.enabled, problem: "block 3 was rewritten after it was anchored" },
    ]);
    await tamper(
      `DELETE FROM audit_entry WHERE practice_id = ${basics.enabled}`,
      `DELETE FROM audit_block WHERE practice_id = ${basics.enabled}`,
    );
    expect((await verifyAudit(heads)).broken).toMatchObject([{ problem: "the whole chain is missing" }]);
  });
});

test.each([
  "UPDATE audit_entry SET reason = 'x'",
  "DELETE FROM audit_entry",
  "TRUNCATE audit_entry",
  "UPDATE audit_block SET hash = ''",
  "DELETE FROM audit_block",
  "TRUNCATE audit_block",
  "UPDATE audit_pending SET reason = 'x'",
  "DELETE FROM audit_pending",
  "TRUNCATE audit_pending",
])("the database rejects %s", async (statement) => {
  await expect(db.run(raw(statement))).rejects.toThrow(/permission denied/);
  await expect(owner.run(raw(statement))).rejects.toThrow(/append-only/);
});

test("what is not yet sealed can't be removed by changing the setting of the function that seals", async () => {
  const attempt = db.run(raw("DELETE FROM audit_pending WHERE set_config('crosswalk.sealing', 'on', true) = 'on'"));
  await expect(attempt).rejects.toThrow(/permission denied/);
});

describe("the command", () => {
  const verify = (...args: string[]) => runScript("audit-verify.ts", args);
  const UNREACHABLE = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };

  test("verifies every chain and saves the heads; exits with 1 and names a broken link", async () => {
    const anchors = path.join(folder, "anchors.jsonl");
    const good = await verify("--anchors", anchors);
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringMatching(/24 entries verified in .* all chains are intact/),
    ]);
    const { heads } = await verifyAudit();
    expect(parseAnchors(await readFile(anchors, "utf8"))).toEqual({ anchors: heads, unreadable: 0 });
    await tamper(`UPDATE audit_entry SET actor_name = 'x' WHERE practice_id = ${basics.disabled} AND seq = 2`);
    const bad = await verify("--anchors", anchors);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain(`✗ practice ${basics.disabled}: the chain is broken at entry 2: its content`);
    expect((await verify("--anchor", anchors)).code).toBe(2);
    expect((await verify(anchors)).stderr).toContain("is an unexpected argument");
  });

  test("reports whether anchors exist to compare with, and adds only new heads", async () => {
    const anchors = path.join(folder, "later.jsonl");
    const note = `${anchors} has no anchors to compare with`;
    await tamper(`UPDATE audit_entry SET actor_name = 'x' WHERE practice_id = ${basics.disabled} AND seq = 2`);
    expect((await verify("--anchors", anchors)).stdout).toContain(`${note}. Nothing was written to it.`);
    expect(fs.existsSync(anchors)).toBe(false);
    await tamper("DELETE FROM audit_entry", "INSERT INTO audit_entry TABLE saved_audit_entry");
    expect((await verify("--anchors", anchors)).stdout).toContain(`${note}. The current heads were written to it.`);
    expect((await verify("--anchors", anchors)).stdout).toContain(`Compared 2 anchors of ${anchors}`);
    const { stdout } = await verify("--anchors", anchors, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ broken: [], anchors: 2, unreadable_lines: 0 });
  });

  test("skips a line that a killed process left, and rejects a file without anchors", async () => {
    const { heads } = await verifyAudit();
    const anchors = path.join(folder, "torn.jsonl");
    await writeFile(anchors, `${JSON.stringify(heads[0])}\n{"practice":1,"blo`);
    const { code, stdout } = await verify("--anchors", anchors);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`1 line of ${anchors} skipped`)]);
    expect(parseAnchors(await readFile(anchors, "utf8"))).toEqual({ anchors: heads, unreadable: 1 });
    await writeFile(anchors, "hello\n");
    expect(await verify("--anchors", anchors)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no anchors"),
    });
  });

  test("checks that it can write the heads before it verifies", async () => {
    const { code, stdout, stderr } = await verify("--anchors", path.join(folder, "nowhere", "anchors.jsonl"));
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("the folder does not exist")]);
  });

  test("exits with 3 and without a verdict if the database is unreachable, even before the program starts", async () => {
    const { code, stdout, stderr } = await runScript("audit-verify.ts", [], UNREACHABLE);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/can't be reached: nothing listens there.*\n.*says nothing about the chains/);
    expect((await runScript("run.mjs", ["scripts/audit-verify.ts"], UNREACHABLE)).code).toBe(3);
  });
});
