// Anchors of the audit while their file or bucket hangs or fails: sealing goes on, a process can stop, and every block has an anchor
// in the end.
import fs from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { anchorBlocks, parseAnchors } from "@/lib/access/audit/anchors";
import { type Anchor, verifyAudit } from "@/lib/access/audit/chain-queries";
import { auditChange } from "@/lib/access/audit/commands";
import { systemOrigin } from "@/lib/access/identity/access";
import { startAuditSealer } from "@/lib/background/audit-sealer";
import { startMetrics } from "@/lib/background/metrics";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { log } from "@/lib/platform/log";
import { appendLines } from "@/lib/platform/storage/append-lines";
import { within } from "@/lib/platform/within";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { seedBasics, seedPatient } from "../support/api";
import { sealAll } from "../support/audit";
import { owner } from "../support/owner";
import { changeSettings } from "../support/process-state";
import { runScript } from "../support/run-script";
import { type SlowBucket, startSlowBucket } from "../support/slow-bucket";

const FOLDER = process.env.CROSSWALK_DATA_DIR as string;
const FILE = path.join(FOLDER, "anchors.jsonl");
const ORIGIN = systemOrigin({ source: "migration", operation: "tests.anchors", name: "Tests" });
/** Ends a test that hangs. */
const HANGS_MS = 60_000;

/** How the file of the anchors is opened. */
const opening = vi.hoisted(() => ({ times: [] as number[], hold: null as Promise<void> | null }));
vi.mock("node:fs/promises", async (load) => {
  const real = await load<typeof import("node:fs/promises")>();
  const open: typeof real.open = async (...args) => {
    if (String(args[0]).endsWith("anchors.jsonl")) {
      opening.times.push(performance.now());
      await opening.hold;
    }
    return real.open(...args);
  };
  return { ...real, open };
});

let patient: number;
beforeAll(async () => {
  const { enabled, physicians } = await seedBasics();
  patient = await seedPatient(enabled, physicians.enabled);
});
afterEach(() => vi.restoreAllMocks());

const write = () => transaction((tx) => auditChange(tx, ORIGIN, [patient]));
const countPending = async () => (await db.one<{ n: number }>(sql`SELECT count(*) AS n FROM audit_pending`)).n;
const listBlocks = () =>
  db.rows<Anchor>(sql`
    SELECT practice_id AS practice, number AS block, last_seq AS seq, encode(hash, 'hex') AS hash FROM audit_block ORDER BY id`);
const toSet = (anchors: readonly Anchor[]) => new Set(anchors.map((anchor) => JSON.stringify(anchor)));
const hasStopped = (stopping: Promise<void>) =>
  within(
    stopping.then(() => true),
    HANGS_MS,
  );

function startSealer() {
  const sealer = startAuditSealer();
  // Not awaited, because a write may be held until the test has finished.
  onTestFinished(() => void sealer.stop());
  return sealer;
}

/** Makes a promise that lasts until the test releases it or ends. */
function hold() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  onTestFinished(() => release());
  return { held, release };
}

describe("a bucket", () => {
  let bucket: SlowBucket;
  beforeAll(async () => {
    bucket = await startSlowBucket();
    await changeSettings(bucket.settings);
  });
  afterAll(() => bucket.stop());
  beforeEach(async () => {
    await owner.run(sql`DELETE FROM audit_anchor`);
    bucket.objects.clear();
    bucket.requests = [];
    bucket.hold = null;
    await write();
    await sealAll();
  });

  test("keeps the anchors of a process whose lock was lost, and those of the process after it", async () => {
    const { held, release } = hold();
    bucket.hold = held;
    const late = expect(anchorBlocks()).rejects.toThrow();
    await expect.poll(() => bucket.requests.length).toBe(1);
    const killed = await owner.run(sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%FROM audit_block%'`);
    expect(killed).toBe(1);
    bucket.hold = null;
    await write();
    await sealAll();
    await anchorBlocks();
    release();
    await late;
    expect(bucket.objects.size).toBe(2);
    const blocks = await listBlocks();
    // An earlier release named objects by their first block.
    bucket.objects.set("audit/0000000000000001.jsonl", `${JSON.stringify(blocks[0])}\n`);
    const text = [...bucket.objects.values()].join("");
    const { anchors, unreadable } = parseAnchors(text);
    expect([toSet(anchors), unreadable]).toEqual([toSet(blocks), 0]);
    expect(anchors.length).toBeGreaterThan(blocks.length);
    const file = path.join(FOLDER, "objects.jsonl");
    fs.writeFileSync(file, text);
    const { code, stdout } = await runScript("audit-verify.ts", ["--anchors", file]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Compared ${anchors.length} anchors`)]);
  });

  test("never replaces an object with other lines, even after a restore that repeats the numbers of blocks", async () => {
    for (const lines of [["a"], ["b"], ["a"]]) await appendLines("s3://anchors/audit/", { name: "1-1", lines });
    expect([...bucket.objects.values()]).toEqual(["a\n", "b\n"]);
    expect(bucket.requests).toEqual(Array(3).fill(expect.stringMatching(/^audit\/1-1-[0-9a-f]{64}\.jsonl$/)));
  });

  test("that hangs holds up neither the sealing nor a stop, and gets the anchors later", async () => {
    const { held, release } = hold();
    bucket.hold = held;
    const sealer = startSealer();
    await expect.poll(() => bucket.requests.length).toBe(1);
    await write();
    await expect.poll(countPending, { timeout: 10_000 }).toBe(0);
    expect(await hasStopped(sealer.stop())).toBe(true);
    expect(bucket.objects.size).toBe(0);
    bucket.hold = null;
    await anchorBlocks();
    expect(parseAnchors([...bucket.objects.values()].join("")).anchors).toEqual(await listBlocks());
    release();
  });
});

describe("a file", () => {
  beforeAll(() => changeSettings({ AUDIT_ANCHORS: FILE }));
  beforeEach(async () => {
    await owner.run(sql`DELETE FROM audit_anchor`);
    fs.rmSync(FILE, { force: true, recursive: true });
    Object.assign(opening, { times: [], hold: null });
    await write();
    await sealAll();
  });
  const read = () => parseAnchors(fs.readFileSync(FILE, "utf8")).anchors;

  test("that hangs holds up neither the sealing nor a stop, and blocks one thread of the process at most", async () => {
    const { held, release } = hold();
    opening.hold = held;
    const sealer = startSealer();
    await expect.poll(() => opening.times.length).toBe(1);
    await write();
    await expect.poll(countPending).toBe(0);
    expect(await hasStopped(sealer.stop())).toBe(true);
    await expect(anchorBlocks()).rejects.toThrow("has not ended");
    expect(opening.times).toHaveLength(1);
    // Another process has written the lines, which the hanging write may overwrite.
    await owner.run(sql`UPDATE audit_anchor SET block_id = (SELECT max(id) FROM audit_block)`);
    await write();
    await sealAll();
    opening.hold = null;
    release();
    await expect.poll(() => anchorBlocks().catch(() => false)).toBe(true);
    const blocks = await listBlocks();
    expect(read()).toEqual(blocks);
    await write();
    await sealAll();
    await anchorBlocks();
    expect(read()).toEqual(await listBlocks());
    expect((await verifyAudit(read())).broken).toEqual([]);
  });

  test("that can't be written is tried again after longer and longer pauses, with one warning for each outage", async () => {
    const port = await freePort();
    await changeSettings({ METRICS_PORT: String(port) });
    const metrics = await startMetrics();
    onTestFinished(() => metrics.stop());
    const readLag = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return Number(/^crosswalk_audit_anchor_lag_seconds (.+)$/m.exec(text)?.[1]);
    };
    const lines = vi.spyOn(log, "warn");
    const countWarnings = () => lines.mock.calls.filter(([, message]) => String(message).includes("anchors")).length;
    fs.mkdirSync(FILE);
    const sealer = startSealer();
    await expect.poll(() => opening.times.length, { timeout: HANGS_MS }).toBe(3);
    const [first = 0, second = 0, third = 0] = opening.times;
    expect([second - first >= 1_000, third - second >= 2_000]).toEqual([true, true]);
    expect(countWarnings()).toBe(1);
    expect(await readLag()).toBeGreaterThan(0);
    fs.rmdirSync(FILE);
    await expect
      .poll(() => fs.existsSync(FILE) && read().length, { timeout: HANGS_MS })
      .toBe((await listBlocks()).length);
    await expect.poll(readLag).toBe(0);
    fs.rmSync(FILE);
    fs.mkdirSync(FILE);
    await write();
    await expect.poll(countWarnings, { timeout: HANGS_MS }).toBe(2);
    await sealer.stop();
    expect(countWarnings()).toBe(2);
  });
});
