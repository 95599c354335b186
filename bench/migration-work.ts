import path from "node:path";
import pg from "pg";
import { checkRun } from "@/lib/migration/check/check-run";
import { convertRun, startConversion } from "@/lib/migration/convert/convert-run";
import { readRun } from "@/lib/migration/read/read-run";
import { rollBackRun, startRollBack } from "@/lib/migration/rollback/roll-back-run";
import { createStartedRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { getRunTotals } from "@/lib/migration/runs/run-counts";
import type { RunRow, WorkOptions } from "@/lib/migration/runs/schema";
import { startVerification, verifyRun } from "@/lib/migration/verify/verify-run";
import { db, sql } from "@/lib/platform/db/sql";
import { fileSource } from "@/lib/platform/files/source";
import { leaveOut } from "@/scripts/lib/migration-decisions";
import { requestFor } from "@/scripts/lib/migration-runs";
import { GENERATED_COMPANIES } from "@/tests/support/generated-export";
import { runContent } from "@/tests/support/run-content";
import { readUsage } from "./cpu";
import { readWal } from "./wal";

const ALL_ERRORS = { reason: "a benchmark", onlyPast: false, until: Number.MAX_SAFE_INTEGER };

export const DATABASE = "crosswalk_bench_migration";
/** The number of records at the beginning and at the end whose times are compared. */
export const WINDOW = 10_000;

interface Work {
  name: string;
  records: number;
  seconds: number;
  /** Microseconds per record, for the first and last WINDOW records. Null if there are too few batches to measure. */
  first: number | null;
  last: number | null;
  /** User and system time of the process with all threads, and of its database connections. */
  cpuSeconds: number;
  databaseCpuSeconds: number;
  /** Bytes of the write-ahead log. */
  walBytes: number;
}

export interface Measured {
  works: Work[];
  decisions: { records: number; seconds: number };
  different: number;
  /** The data of the practice and the run after the conversion, as hashes. */
  content: Record<string, string>;
  peakMib: number;
  cpuSeconds: number;
}

/** Runs one kind of work and measures its batches. */
async function measureWork(
  name: string,
  records: number,
  run: RunRow,
  work: (run: RunRow, options: WorkOptions) => Promise<RunRow>,
): Promise<Work> {
  const walBefore = await readWal();
  const [started, cpuBefore, databaseBefore] = [performance.now(), process.cpuUsage(), await readDatabaseCpu()];
  const batches: { records: number; ms: number }[] = [];
  // Reading counts bytes, which are converted to records.
  const onProgress = ({ done, total }: RunRow) =>
    batches.push({ records: (done / total) * records, ms: performance.now() });
  await work(run, { onProgress });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  const databaseCpuSeconds = (await readDatabaseCpu()) - databaseBefore;
  const walBytes = (await readWal()) - walBefore;
  const window = Math.min(WINDOW, records / 2);
  const cost = (from: number, to: number) => {
    const inside = batches.filter((batch) => batch.records >= from && batch.records <= to);
    const [begin, end] = [inside[0], inside.at(-1)];
    return begin && end && begin !== end ? ((end.ms - begin.ms) * 1000) / (end.records - begin.records) : null;
  };
  const costs = { first: cost(0, window), last: cost(records - window, records) };
  return { name, records, seconds, ...costs, cpuSeconds: (user + system) / 1e6, databaseCpuSeconds, walBytes };
}

/** Returns the CPU time that the database connections used so far, in seconds; 0 if the database runs on another machine. */
async function readDatabaseCpu(): Promise<number> {
  const { host } = new pg.Client({ connectionString: process.env.DATABASE_URL });
  if (host !== "127.0.0.1") return 0;
  const backends = await db.rows<{ pid: number }>(sql`SELECT pid FROM pg_stat_activity WHERE datname = ${DATABASE}`);
  return backends.reduce((sum, { pid }) => sum + readUsage(pid).cpuMs, 0) / 1000;
}

/** Creates a run for the file. Its file is read next. */
export async function createRun(file: string, practiceId: number): Promise<number> {
  const { size } = await fileSource(file);
  const companies = GENERATED_COMPANIES.map(({ id, ...fields }) => ({ externalId: id, fields }));
  const upload = { practiceId, name: path.basename(file), size, asOf: "2025-10-01", columns: null };
  const request = requestFor(practiceId, "a benchmark");
  return createStartedRun(request, { ...upload, companies });
}

/** Counts and hashes each kind of rows of a practice and a run. The results are equal for two runs of one export. */
export async function hashContent(practiceId: number, runId: number): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  try {
    const hashes: Record<string, string> = {};
    for (const [kind, { text, values }] of Object.entries(runContent(practiceId, runId))) {
      const { rows } = await client.query(
        `SELECT count(*) || ' ' || md5(string_agg(md5(row::text), '' ORDER BY md5(row::text))) AS hash FROM (${text}) AS content`,
        values as unknown[],
      );
      hashes[kind] = rows[0].hash ?? "none";
    }
    return hashes;
  } finally {
    await client.end();
  }
}

/** Measures every kind of work of a run of this file. */
export async function measure(
  file: string,
  practiceId: number,
  records: number,
  rollsBack: boolean,
): Promise<Measured> {
  const source = await fileSource(file);
  const request = requestFor(practiceId, "a benchmark");
  const id = await createRun(file, practiceId);
  const currentRun = async () => (await findRun(db, id)) as RunRow;
  const convert = (run: RunRow, options: WorkOptions) => convertRun(run, { ...options, stillHeld: async () => {} });

  const works: Work[] = [];
  works.push(await measureWork("read", records, await currentRun(), (run, options) => readRun(run, source, options)));
  works.push(await measureWork("check", records, await currentRun(), checkRun));
  const started = performance.now();
  const { records: left } = await leaveOut(request, id, ALL_ERRORS);
  const decisions = { records: left, seconds: (performance.now() - started) / 1000 };
  await startConversion(request, id);
  works.push(await measureWork("convert", records, await currentRun(), convert));
  const content = await hashContent(practiceId, id);
  await startVerification(request, id);
  works.push(await measureWork("verify", records, await currentRun(), verifyRun));
  const { states } = await getRunTotals(id);
  if (states.verified !== records - left) throw new Error(`not all records were verified: ${JSON.stringify(states)}`);
  if (rollsBack) {
    await startRollBack(request, id);
    works.push(await measureWork("roll back", records, await currentRun(), rollBackRun));
  }
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const { different = 0 } = states;
  return {
    works,
    decisions,
    different,
    content,
    peakMib: maxRSS / 1024,
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
  };
}

/** Skips all records with errors and starts the conversion. */
export async function decideAll(practiceId: number, runId: number): Promise<void> {
  const request = requestFor(practiceId, "a benchmark");
  await leaveOut(request, runId, ALL_ERRORS);
  await startConversion(request, runId);
}
