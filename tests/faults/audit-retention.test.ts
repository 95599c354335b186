// Retention of the audit: only whole years that are old enough are removed, the rest still verifies, and no one waits for it.
import path from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anchorBlocks } from "@/lib/access/audit/anchors";
import { hashBlock, verifyAudit } from "@/lib/access/audit/chain-queries";
import { auditChange } from "@/lib/access/audit/commands";
import { removeOldAudit } from "@/lib/access/audit/retention-commands";
import { sealAudit } from "@/lib/access/audit/seal-commands";
import { countAuditEntries } from "@/lib/access/audit/staff-queries";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { setClock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, seedBasics, seedPatient } from "../support/api";
import { sealAll } from "../support/audit";
import { asOwner, owner, ownerUrl } from "../support/owner";
import { runScript } from "../support/run-script";

process.env.AUDIT_ANCHORS = path.join(process.env.CROSSWALK_DATA_DIR as string, "anchors.jsonl");

const ORIGIN = systemOrigin({ source: "migration", operation: "tests.retention", name: "Tests" });
/** The year in which the audit of today would have to be six years old, of which a part must be kept. */
const KEPT_YEAR = new Date(Date.now() - 2_192 * 86_400_000).getUTCFullYear();
const LAST_OLD = KEPT_YEAR - 1;

let basics: Basics;
let patient: number;
beforeEach(async () => {
  await asOwner(async (tx) => {
    await tx.run(sql`SET LOCAL session_replication_role = replica`);
    for (const table of ["audit_entry", "audit_block", "audit_removal", "audit_pending", "audit_anchor"])
      await tx.run(sql`DELETE FROM ${raw(table)}`);
  });
  basics = await seedBasics();
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  await sealAll();
});
afterEach(() => setClock());

const write = () => transaction((tx) => auditChange(tx, ORIGIN, [patient]));
const accessOf = () => mintAccess({ actor: ORIGIN.actor, practices: [basics.enabled] });
const listYears = async () =>
  (
    await db.rows<{ year: number }>(sql`
      SELECT DISTINCT extract(year FROM sealed_date)::int AS year FROM audit_entry WHERE practice_id = ${basics.enabled} ORDER BY 1`)
  ).map(({ year }) => year);

/** Writes a block of three entries as if it had been sealed in the middle of each of these years, and one of today. */
async function writeYears(...years: number[]): Promise<void> {
  for (const _year of [...years, null]) {
    for (let at = 0; at < 3; at++) await write();
    await sealAll();
  }
  await resealAt(years.map((year) => `${year}-06-15T12:00:00.000Z`));
  await anchorBlocks();
}

/** Changes when the first blocks of the practice were sealed, with valid hashes. */
async function resealAt(dates: readonly string[]): Promise<void> {
  const blocks = await db.rows<Row<"audit_block">>(
    sql`SELECT * FROM audit_block WHERE practice_id = ${basics.enabled} ORDER BY number`,
  );
  await asOwner(async (tx) => {
    await tx.run(sql`SET LOCAL session_replication_role = replica`);
    let previous: Buffer = Buffer.alloc(0);
    for (const [at, stored] of blocks.entries()) {
      const sealed_date = dates[at] ?? stored.sealed_date;
      const own = sql`practice_id = ${basics.enabled} AND seq BETWEEN ${stored.first_seq} AND ${stored.last_seq}`;
      await tx.run(sql`SELECT create_audit_partitions(${Number(sealed_date.slice(0, 4))}::int)`);
      await tx.run(sql`UPDATE audit_entry SET sealed_date = ${sealed_date} WHERE ${own}`);
      const entries = await tx.rows<{ hash: Buffer }>(sql`SELECT hash FROM audit_entry WHERE ${own} ORDER BY seq`);
      const hash = hashBlock(
        { ...stored, sealed_date, prev_hash: previous },
        entries.map((entry) => entry.hash),
      );
      await tx.run(sql`UPDATE audit_block SET sealed_date = ${sealed_date}, prev_hash = ${previous}, hash = ${hash}
        WHERE practice_id = ${basics.enabled} AND number = ${stored.number}`);
      previous = hash;
    }
  });
}

describe("a removal", () => {
  test("takes each year that is at least six years old, and leaves a chain that verifies and says so", async () => {
    await writeYears(LAST_OLD - 2, LAST_OLD, KEPT_YEAR);
    const before = await countAuditEntries(accessOf(), basics.enabled);
    expect(await removeOldAudit()).toEqual([LAST_OLD - 2, LAST_OLD]);
    expect(await listYears()).toEqual([KEPT_YEAR, new Date().getUTCFullYear()]);
    expect(await removeOldAudit()).toEqual([]);
    await sealAll();

    const { broken, removed, entries } = await verifyAudit([], basics.enabled);
    expect(broken).toEqual([]);
    expect(removed).toEqual([{ practice: basics.enabled, seq: 6, before: `${KEPT_YEAR}-01-01T00:00:00.000Z` }]);
    // Two entries say what was removed.
    expect(await countAuditEntries(accessOf(), basics.enabled)).toBe(before - 6 + 2);
    expect(entries).toBe(before - 6 + 2);
    const said = await db.rows<{ detail: unknown }>(sql`
      SELECT detail FROM audit_log WHERE practice_id = ${basics.enabled} AND operation = 'audit.removed' ORDER BY id`);
    expect(said.map(({ detail }) => detail)).toEqual([
      { facts: { sealed_before: `${LAST_OLD - 1}-01-01`, last_entry: 3 } },
      { facts: { sealed_before: `${KEPT_YEAR}-01-01`, last_entry: 6 } },
    ]);
    const { code, stdout } = await runScript("audit-verify.ts", []);
    const line = `practice ${basics.enabled}: entries up to 6, sealed before ${KEPT_YEAR}-01-01, were removed by retention`;
    expect([code, stdout]).toEqual([0, expect.stringContaining(line)]);
  });

  test("that leaves nothing of a chain lets it continue with the next numbers", async () => {
    for (let at = 0; at < 3; at++) await write();
    await sealAll();
    await resealAt([`${LAST_OLD}-03-01T00:00:00.000Z`]);
    await anchorBlocks();
    expect(await removeOldAudit()).toEqual([LAST_OLD]);
    expect(await listYears()).toEqual([]);
    await sealAll();
    const { broken, heads } = await verifyAudit([], basics.enabled);
    expect(broken).toEqual([]);
    expect(heads).toEqual([expect.objectContaining({ block: 2, seq: 4 })]);
  });

  test("follows AUDIT_RETENTION_DAYS by the server's clock, but never takes what the database counts as younger", async () => {
    await writeYears(LAST_OLD, KEPT_YEAR);
    setClock({ now: () => new Date(Date.now() - 366 * 86_400_000) });
    expect(await removeOldAudit()).toEqual([]);
    setClock({ now: () => new Date(Date.now() + 3_660 * 86_400_000) });
    expect(await removeOldAudit()).toEqual([LAST_OLD]);
    expect((await db.one<{ year: number | null }>(sql`SELECT remove_audit_year('infinity') AS year`)).year).toBe(null);
    expect(await listYears()).toEqual([KEPT_YEAR, new Date().getUTCFullYear()]);
  });

  test("waits until all blocks of the year are anchored", async () => {
    await writeYears(LAST_OLD);
    await owner.run(sql`UPDATE audit_anchor SET block_id = block_id - 2`);
    expect(await removeOldAudit()).toEqual([]);
    await anchorBlocks();
    expect(await removeOldAudit()).toEqual([LAST_OLD]);
  });

  test("can't hide a rewritten chain: the last removed block is compared with its anchor, and with the block after it", async () => {
    await writeYears(LAST_OLD);
    const [block] = await db.rows<Row<"audit_block">>(
      sql`SELECT * FROM audit_block WHERE practice_id = ${basics.enabled} AND number = 1`,
    );
    const anchor = { practice: basics.enabled, block: 1, seq: 3, hash: block?.hash.toString("hex") ?? "" };
    await removeOldAudit();
    expect((await verifyAudit([anchor], basics.enabled)).broken).toEqual([]);
    expect((await verifyAudit([{ ...anchor, hash: "0".repeat(64) }], basics.enabled)).broken).toMatchObject([
      { problem: "block 1 was rewritten after it was anchored" },
    ]);
    await asOwner(async (tx) => {
      await tx.run(sql`SET LOCAL session_replication_role = replica`);
      await tx.run(sql`UPDATE audit_removal SET hash = sha256(hash)`);
    });
    expect((await verifyAudit([], basics.enabled)).broken).toMatchObject([
      { seq: 4, problem: "block 2 does not refer to the previous block" },
    ]);
  });

  test("lets no one wait while it waits for a reader, and follows the reader's end", async () => {
    await writeYears(LAST_OLD);
    const reader = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
    const others = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
    await Promise.all([reader.connect(), others.connect()]);
    try {
      await reader.query("BEGIN");
      await reader.query("SELECT count(*) FROM audit_log");
      const removing = removeOldAudit();
      await others.query("SET lock_timeout = '500ms'");
      for (let at = 0; at < 50; at++) {
        await write();
        await others.query("SELECT count(*) FROM audit_log");
        await others.query("SELECT seal_audit(0, 100)");
      }
      expect(await listYears()).toContain(LAST_OLD);
      await reader.query("COMMIT");
      expect(await removing).toEqual([LAST_OLD]);
    } finally {
      await Promise.all([reader.end(), others.end()]);
    }
    await sealAll();
    expect((await verifyAudit([], basics.enabled)).broken).toEqual([]);
  });
});

describe("a year", () => {
  test("gets its partitions with its first entry, while others read and write", async () => {
    const session = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
    const sealing = new pg.Client({ connectionString: ownerUrl() });
    await Promise.all([session.connect(), sealing.connect()]);
    try {
      await session.query("BEGIN");
      await session.query("SELECT count(*) FROM audit_log");
      await session.query(`INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_name, kind, operation, patients, source)
        VALUES (1, now(), 'system', 'x', 'change', 'tests.year', '{}', 'staff')`);
      await sealing.query("SET lock_timeout = '500ms'");
      for (const table of ["audit_block", "audit_entry"]) await sealing.query(`DROP TABLE IF EXISTS ${table}_2199`);
      await sealing.query("SELECT create_audit_partitions(2199)");
      await sealing.query("SELECT create_audit_partitions(2199)");
      await session.query("COMMIT");
      const { rows } = await sealing.query(`
        SELECT indrelid::regclass::text AS name, count(*)::int AS indexes FROM pg_index
        WHERE indrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent IN ('audit_entry'::regclass, 'audit_block'::regclass))
          AND indrelid::regclass::text LIKE '%_2199' GROUP BY 1 ORDER BY 1`);
      expect(rows).toEqual([
        { name: "audit_block_2199", indexes: 2 },
        { name: "audit_entry_2199", indexes: 5 },
      ]);
    } finally {
      for (const table of ["audit_block", "audit_entry"]) await sealing.query(`DROP TABLE IF EXISTS ${table}_2199`);
      await Promise.all([session.end(), sealing.end()]);
    }
  });

  test("never has a block that comes after one of a later year, even if the clock was set back", async () => {
    await write();
    await sealAll();
    await resealAt(["2198-01-01T00:00:00.000Z"]);
    await write();
    await sealAll();
    expect(await listYears()).toEqual([2198]);
    expect((await verifyAudit([], basics.enabled)).broken).toEqual([]);
  });
});

describe("the role of the server", () => {
  test.each([
    "DELETE FROM audit_entry_2018",
    "TRUNCATE audit_entry_2018",
    "UPDATE audit_block_2018 SET hash = ''",
    "INSERT INTO audit_block_2018 TABLE audit_block",
    "DROP TABLE audit_entry_2018",
    "ALTER TABLE audit_entry DETACH PARTITION audit_entry_2018",
    "SELECT create_audit_partitions(2018)",
    "DELETE FROM audit_removal",
    "INSERT INTO audit_removal VALUES (1, 1, 1, '', now(), now())",
  ])("can't run %s", async (statement) => {
    await owner.run(sql`SELECT create_audit_partitions(2018)`);
    await expect(db.run(raw(statement))).rejects.toMatchObject({ code: "42501" });
  });

  test.each(["DELETE FROM audit_entry_2018", "TRUNCATE audit_entry_2018", "TRUNCATE audit_block_2018"])(
    "is not the only one: triggers reject %s by the owner",
    async (statement) => {
      await writeYears(2018);
      await expect(owner.run(raw(statement))).rejects.toThrow(/append-only/);
    },
  );

  test("can't choose the ID of an entry, because sealers would skip the IDs below it", async () => {
    const columns = "practice_id, occurred_date, actor_type, actor_name, kind, operation, patients, source";
    const values = "1, now(), 'system', 'x', 'change', 'tests.id', '{}', 'staff'";
    const insert = (id: string, value: string) =>
      db.run(raw(`INSERT INTO audit_pending (${id}${columns}) VALUES (${value}${values})`));
    await expect(insert("id, ", "9000000000000000000, ")).rejects.toMatchObject({ code: "42501" });
    expect(await insert("", "")).toBe(1);
    expect((await sealAudit()).sealed).toBe(1);
  });
});
