// `npm run audit:verify` names a row that was changed, removed or inserted by hand.
import fs from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient } from "@/tests/support/api";
import { asOwner, owner } from "@/tests/support/owner";
import { runScript } from "@/tests/support/run-script";

const ENTRIES = 12;
let basics: Basics;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "crosswalk-audit-"));
  basics = await seedBasics();
  const { token } = basics;
  for (const [practice, physician] of [
    [basics.enabled, basics.physicians.enabled],
    [basics.disabled, basics.physicians.disabled],
  ] as const) {
    const patient = await seedPatient(practice, physician, "Zoë Ångström");
    for (let at = 0; at < ENTRIES / 2; at++) {
      await call("PATCH", `patients/${patient}`, { token, body: { middle_name: `N${at}` } });
      await call("GET", `patients/${patient}`, { token, headers: { "x-change-reason": "größer: 5:x-" } });
    }
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

/** Copies the original rows, and restores them after each test. */
beforeAll(() =>
  tamper("CREATE TABLE saved_entry AS TABLE audit_entry", "CREATE TABLE saved_chain AS TABLE audit_chain"),
);
afterEach(() =>
  tamper(
    ...["DELETE FROM audit_entry", "INSERT INTO audit_entry TABLE saved_entry"],
    ...["DELETE FROM audit_chain", "INSERT INTO audit_chain TABLE saved_chain"],
  ),
);

test("untouched chains verify completely", async () => {
  const { entries, heads, broken } = await verifyAudit();
  expect(broken).toEqual([]);
  expect(entries).toBe(2 * ENTRIES);
  expect(heads).toEqual(
    [basics.enabled, basics.disabled].map((practice) => ({
      practice,
      seq: ENTRIES,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })),
  );
});

describe("the first broken link is named if", () => {
  const at = (seq: number) => `practice_id = ${basics.enabled} AND seq = ${seq}`;
  const changes: [column: string, value: string][] = [
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
    ["prev_hash", "sha256(prev_hash)"],
  ];
  test.each(changes)("%s of an entry is changed", async (column, value) => {
    await tamper(`UPDATE audit_entry SET ${column} = ${value} WHERE ${at(5)}`);
    expect((await verifyAudit()).broken).toMatchObject([{ practice: basics.enabled, seq: 5 }]);
  });

  test.each(["patients", "hash", "prev_hash"])("%s of an entry is removed", async (column) => {
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

  test("two entries are swapped", async () => {
    const swap = (from: number, to: number) => `UPDATE audit_entry SET seq = ${to} WHERE ${at(from)}`;
    await tamper(swap(3, 1000), swap(4, 3), swap(1000, 4));
    expect((await verifyAudit()).broken).toMatchObject([{ seq: 3 }]);
  });

  test("the end is cut off and the head is reset to hide it, by comparison with an anchor", async () => {
    const { heads } = await verifyAudit();
    await tamper(
      `DELETE FROM audit_entry WHERE practice_id = ${basics.enabled} AND seq > 8`,
      `UPDATE audit_chain c SET seq = 8, hash = e.hash FROM audit_entry e
       WHERE c.practice_id = ${basics.enabled} AND e.practice_id = c.practice_id AND e.seq = 8`,
    );
    expect((await verifyAudit()).broken).toEqual([]);
    expect((await verifyAudit(heads)).broken).toMatchObject([{ practice: basics.enabled, seq: 9 }]);
  });

  test("the whole chain is rewritten with valid hashes, by comparison with an anchor", async () => {
    const { heads } = await verifyAudit();
    await tamper(
      `CREATE TEMP TABLE anew ON COMMIT DROP AS SELECT * FROM audit_entry WHERE practice_id = ${basics.enabled}`,
      `DELETE FROM audit_entry WHERE practice_id = ${basics.enabled}`,
      `DELETE FROM audit_chain WHERE practice_id = ${basics.enabled}`,
      "SET LOCAL session_replication_role = origin",
      `INSERT INTO audit_entry (practice_id, seq, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
         source, address, reason, request_id, prev_hash, hash)
       SELECT practice_id, seq, occurred_date, actor_type, actor_id, 'Nobody', kind, operation, path, patients,
         source, address, reason, request_id, prev_hash, hash FROM anew ORDER BY seq`,
    );
    expect((await verifyAudit()).broken).toEqual([]);
    expect((await verifyAudit(heads)).broken).toMatchObject([{ practice: basics.enabled }]);
    await tamper(
      `DELETE FROM audit_entry WHERE practice_id = ${basics.enabled}`,
      `DELETE FROM audit_chain WHERE practice_id = ${basics.enabled}`,
    );
    expect((await verifyAudit(heads)).broken).toMatchObject([{ problem: "the whole chain is missing" }]);
  });
});

test.each([
  "UPDATE audit_entry SET reason = 'x'",
  "DELETE FROM audit_entry",
  "TRUNCATE audit_entry",
  "DELETE FROM audit_chain",
  "TRUNCATE audit_chain",
])("the database rejects %s", async (statement) => {
  await expect(db.run(raw(statement))).rejects.toThrow(/permission denied/);
  await expect(owner.run(raw(statement))).rejects.toThrow(/append-only/);
});

describe("the command", () => {
  const verify = (...args: string[]) => runScript("audit-verify.ts", args);
  const UNREACHABLE = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };

  test("verifies every chain and saves the heads; exits with 1 and names a broken link", async () => {
    const anchors = path.join(folder, "anchors.json");
    const good = await verify("--anchors", anchors);
    expect([good.code, good.stdout]).toEqual([
      0,
      expect.stringMatching(/24 entries verified in .* all chains are intact/),
    ]);
    expect(JSON.parse(await readFile(anchors, "utf8"))).toHaveLength(2);
    await tamper(`UPDATE audit_entry SET actor_name = 'x' WHERE practice_id = ${basics.disabled} AND seq = 2`);
    const bad = await verify("--anchors", anchors);
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain(`✗ practice ${basics.disabled}: the chain is broken at entry 2: its content`);
    expect((await verify("--anchor", anchors)).code).toBe(2);
    expect((await verify(anchors)).stderr).toContain("is an unexpected argument");
  }, 60_000);

  test("reports whether earlier heads exist to compare with", async () => {
    const anchors = path.join(folder, "later.json");
    const note = `${anchors} has no earlier heads to compare with`;
    await tamper(`UPDATE audit_entry SET actor_name = 'x' WHERE practice_id = ${basics.disabled} AND seq = 2`);
    expect((await verify("--anchors", anchors)).stdout).toContain(`${note}. Nothing was written to it.`);
    expect(fs.existsSync(anchors)).toBe(false);
    await tamper("DELETE FROM audit_entry", "INSERT INTO audit_entry TABLE saved_entry");
    expect((await verify("--anchors", anchors)).stdout).toContain(`${note}. The current heads were written to it.`);
    expect((await verify("--anchors", anchors)).stdout).not.toContain(note);
    const { stdout } = await verify("--anchors", anchors, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ broken: [], earlier_heads: 2 });
  }, 60_000);

  test("checks that it can write the heads before it verifies", async () => {
    const { code, stdout, stderr } = await verify("--anchors", path.join(folder, "nowhere", "anchors.json"));
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("the folder does not exist")]);
  }, 60_000);

  test("exits with 3 and without a verdict if the database is unreachable, even before the program starts", async () => {
    const { code, stdout, stderr } = await runScript("audit-verify.ts", [], UNREACHABLE);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toMatch(/can't be reached: nothing listens there.*\n.*says nothing about the chains/);
    expect((await runScript("run.mjs", ["scripts/audit-verify.ts"], UNREACHABLE)).code).toBe(3);
  }, 60_000);
});
