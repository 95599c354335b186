// Sealing the audit: even if processes are killed and others write meanwhile, every committed entry is sealed exactly once, in an
// unbroken chain, and every block has an anchor.
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { anchorBlocks, parseAnchors } from "@/lib/access/audit/anchors";
import { type Anchor, verifyAudit } from "@/lib/access/audit/chain-queries";
import { auditChange } from "@/lib/access/audit/commands";
import { AuditSealer, sealAudit } from "@/lib/access/audit/seal-commands";
import { systemOrigin } from "@/lib/access/identity/access";
import { startAuditSealer } from "@/lib/background/audit-sealer";
import { closePool, pool } from "@/lib/platform/db/pool";
import { db, raw, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { seedBasics, seedPatient } from "../support/api";
import { sealAll } from "../support/audit";
import { cloneDatabase, withLoginOf } from "../support/databases";
import { owner } from "../support/owner";
import { rounds } from "../support/rounds";
import { runScript } from "../support/run-script";
import { WorkerProcess } from "../support/worker-process";

const KILLS = rounds(4);
const ANCHORS = path.join(process.env.CROSSWALK_DATA_DIR as string, "anchors.jsonl");
process.env.AUDIT_ANCHORS = ANCHORS;

const ORIGIN = systemOrigin({ source: "migration", operation: "tests.seal", name: "Tests" });

/** A patient of each of two practices. */
let patients: number[];
beforeAll(async () => {
  const { enabled, disabled, physicians } = await seedBasics();
  patients = [await seedPatient(enabled, physicians.enabled), await seedPatient(disabled, physicians.disabled)];
});
beforeEach(() => sealAll());
afterEach(() => vi.restoreAllMocks());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const random = (below: number) => Math.floor(Math.random() * below);

/** Audits changes of random patients in one transaction, and returns the ID of their request. */
async function write({ entries = 1, fails = false, pauseMs = 0 } = {}): Promise<string | null> {
  const requestId = randomUUID();
  const origin = { ...ORIGIN, requestId };
  const work = transaction(async (tx) => {
    for (let at = 0; at < entries; at++) await auditChange(tx, origin, [patients[at % 2] as number]);
    await tx.settle();
    await pause(pauseMs);
    if (fails) throw new Error("rolled back");
  });
  return work.then(
    () => requestId,
    () => null,
  );
}

/** Seals in a session that is ended before or after its commit, as if its process was killed. */
async function sealAndDie(): Promise<void> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
  client.on("error", () => {});
  await client.connect();
  await client.query("BEGIN");
  await client.query("SELECT seal_audit(0, 20)");
  await pause(random(5));
  if (random(2) === 0) await client.query("COMMIT");
  const { processID } = client as unknown as { processID: number };
  await owner.run(sql`SELECT pg_terminate_backend(${processID}::int)`);
  await client.end().catch(() => {});
}

async function expectSealed(requests: readonly string[]): Promise<void> {
  const found = await db.rows<{ request_id: string; seq: number | null }>(
    sql`SELECT request_id, seq FROM audit_log WHERE request_id = ANY(${requests}::text[])`,
  );
  expect(found.filter(({ seq }) => seq === null)).toEqual([]);
  expect(new Set(found.map(({ request_id: id }) => id))).toEqual(new Set(requests));
  const { broken, unsealed } = await verifyAudit();
  expect([broken, unsealed]).toEqual([[], []]);
}

const countPending = async () => (await db.one<{ n: number }>(sql`SELECT count(*) AS n FROM audit_pending`)).n;

describe("sealing", () => {
  test("loses and repeats nothing while writers commit and roll back, and sealers compete and are killed", async () => {
    const written: string[] = [];
    let entries = 0;
    const before = (await db.one<{ n: number }>(sql`SELECT count(*) AS n FROM audit_log`)).n;
    let isWriting = true;
    const writer = async () => {
      for (let at = 0; at < 60; at++) {
        const many = 1 + random(4);
        const request = await write({ entries: many, fails: random(4) === 0, pauseMs: random(6) });
        if (request === null) continue;
        written.push(request);
        entries += many;
      }
    };
    const sealer = async (seal: () => Promise<unknown>) => {
      while (isWriting) await seal();
    };
    const sealing = [sealer(() => sealAudit(0, 1 + random(30))), sealer(() => sealAudit()), sealer(sealAndDie)];
    await Promise.all(Array.from({ length: 5 }, writer));
    isWriting = false;
    await Promise.all(sealing);
    await sealAll();
    await expectSealed(written);
    expect((await db.one<{ n: number }>(sql`SELECT count(*) AS n FROM audit_log`)).n - before).toBe(entries);
  });

  test("happens in one session at a time, and not at all if the session ends before its commit", async () => {
    await write({ entries: 6 });
    const client = await pool().connect();
    await client.query("BEGIN");
    expect((await client.query("SELECT sealed FROM seal_audit(0, 4)")).rows).toEqual([{ sealed: 4 }]);
    expect(await sealAudit()).toEqual({ sealed: null, upto: null });
    expect(await countPending()).toBe(6);
    await client.query("ROLLBACK");
    client.release();
    expect(await countPending()).toBe(6);
    expect((await sealAudit()).sealed).toBe(6);
    expect((await verifyAudit()).broken).toEqual([]);
  });

  test("does not wait for a long transaction, whose entries follow after its commit", async () => {
    const commit = deferred();
    const requestId = randomUUID();
    const long = transaction(async (tx) => {
      await auditChange(tx, { ...ORIGIN, requestId }, patients);
      await tx.settle();
      await commit.promise;
    });
    await pause(50);
    const later = (await write()) as string;
    await sealAll();
    const seqOf = async (request: string) =>
      (await db.rows<{ seq: number }>(sql`SELECT seq FROM audit_log WHERE request_id = ${request}`)).map(
        (row) => row.seq,
      );
    expect(await seqOf(later)).toEqual([expect.any(Number)]);
    expect(await seqOf(requestId)).toEqual([]);
    commit.resolve();
    await long;
    await sealAll();
    await expectSealed([later, requestId]);
  });

  test("starts at recent entries, and looks through all of them once a minute", async () => {
    const { id } = await owner.one<{ id: number }>(sql`SELECT nextval('audit_pending_id_seq') AS id`);
    const sealer = new AuditSealer();
    let now = 1_000_000;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    for (let minute = 0; minute < 3; minute++) {
      await write();
      await sealer.seal();
      now += 60_000;
    }
    await sealer.seal();
    await owner.run(sql`
      INSERT INTO audit_pending (id, practice_id, occurred_date, actor_type, actor_name, kind, operation, patients, source)
      VALUES (${id}, 1, now(), 'system', 'Late', 'change', 'tests.late', '{}', 'staff')`);
    await sealer.seal();
    expect(await countPending()).toBe(1);
    now += 60_000;
    await sealer.seal();
    expect(await countPending()).toBe(0);
  });

  test("of many practices at once gives each its own block", async () => {
    await owner.run(sql`
      INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_name, kind, operation, patients, source)
      SELECT 5000 + at % 300, now(), 'system', 'x', 'change', 'tests.many', '{}', 'staff' FROM generate_series(1, 900) AS at`);
    expect((await sealAudit()).sealed).toBe(900);
    const { heads, broken } = await verifyAudit();
    expect(broken).toEqual([]);
    expect(heads.filter(({ practice, block, seq }) => practice >= 5000 && block === 1 && seq === 3)).toHaveLength(300);
  });

  test("continues after a restore into another database, with the same anchors", async () => {
    await write({ entries: 5 });
    await sealAll(3);
    await write({ entries: 2 });
    const { heads } = await verifyAudit();
    const copy = await cloneDatabase({
      server: inject("server"),
      template: inject("template"),
      run: inject("run"),
    });
    const target = new pg.Client({ connectionString: withLoginOf(inject("server"), copy.url) });
    await target.connect();
    try {
      await target.query("SELECT create_audit_partitions($1)", [new Date().getUTCFullYear()]);
      for (const table of ["audit_pending", "audit_entry", "audit_block"]) {
        const { rows } = await owner.one<{ rows: string }>(sql`SELECT json_agg(t)::text AS rows FROM ${raw(table)} t`);
        await target.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [rows]);
      }
      await target.query("SELECT setval('audit_block_id_seq', (SELECT max(id) FROM audit_block))");
      expect((await target.query("SELECT sealed FROM seal_audit(0, 100)")).rows).toEqual([{ sealed: 2 }]);
    } finally {
      await target.end();
    }
    const file = path.join(process.env.CROSSWALK_DATA_DIR as string, "restored.jsonl");
    fs.writeFileSync(file, heads.map((head) => `${JSON.stringify(head)}\n`).join(""));
    const settings = { DATABASE_URL: withLoginOf(inject("runtime"), copy.url) };
    const { code, stdout } = await runScript("audit-verify.ts", ["--anchors", file], settings);
    await copy.drop();
    expect([code, stdout]).toEqual([0, expect.stringContaining("all chains are intact")]);
  });
});

describe("anchors", () => {
  const read = () => parseAnchors(fs.readFileSync(ANCHORS, "utf8"));
  const listBlocks = () =>
    db.rows<Anchor>(sql`
      SELECT practice_id AS practice, number AS block, last_seq AS seq, encode(hash, 'hex') AS hash FROM audit_block ORDER BY id`);

  test("are one line for each block, in the order of the commits, and written once", async () => {
    fs.rmSync(ANCHORS, { force: true });
    await owner.run(sql`DELETE FROM audit_anchor`);
    await Promise.all([anchorBlocks(), anchorBlocks()]);
    await write({ entries: 3 });
    await sealAll();
    await Promise.all([anchorBlocks(), anchorBlocks()]);
    await anchorBlocks();
    expect(read()).toEqual({ anchors: await listBlocks(), unreadable: 0 });
    expect((await verifyAudit(read().anchors)).broken).toEqual([]);
  });

  test("that can't be written are written later, and hold up no sealing", async () => {
    const known = read().anchors.length;
    fs.renameSync(ANCHORS, `${ANCHORS}.kept`);
    fs.mkdirSync(ANCHORS);
    await write();
    await sealAll();
    await expect(anchorBlocks()).rejects.toMatchObject({ code: "EISDIR" });
    fs.rmdirSync(ANCHORS);
    fs.renameSync(`${ANCHORS}.kept`, ANCHORS);
    await anchorBlocks();
    expect(read().anchors.length).toBe(known + 1);
  });

  test("are complete after a stop, even if another process was writing when the last block was sealed", async () => {
    await anchorBlocks();
    const other = await pool().connect();
    await other.query("BEGIN");
    await other.query("SELECT FROM audit_anchor FOR UPDATE");
    const sealer = startAuditSealer();
    await write();
    await expect.poll(countPending).toBe(0);
    expect(await anchorBlocks()).toBe(false);
    const stopping = sealer.stop();
    await pause(50);
    await other.query("COMMIT");
    other.release();
    await stopping;
    expect(read().anchors).toEqual(await listBlocks());
  });

  test(`exist for every block if the sealing process is killed ${KILLS} times`, async () => {
    await closePool();
    const written: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      const workers = await Promise.all([WorkerProcess.start(), WorkerProcess.start()]);
      for (let at = 0; at < 20; at++) {
        written.push((await write({ entries: 2 })) as string);
        await pause(random(40));
      }
      await Promise.all(workers.map((worker) => worker.kill()));
    }
    const last = await WorkerProcess.start();
    await expect.poll(countPending).toBe(0);
    await last.stop();
    await expectSealed(written);
    const { anchors } = read();
    expect(new Set(anchors.map((anchor) => JSON.stringify(anchor)))).toEqual(
      new Set((await listBlocks()).map((block) => JSON.stringify(block))),
    );
    expect((await verifyAudit(anchors)).broken).toEqual([]);
  });
});

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
