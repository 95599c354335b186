// npm run bench:scaling [-- --rounds 5 --requests 1000 --kinds get,put --publish]
// Measures what each kind of request costs: CPU time of the server and PostgreSQL, bytes of the write-ahead log, bytes that stay in the
// database, and how long a connection is busy. README.md explains the results.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import type pg from "pg";
import { main, onEnd } from "@/scripts/lib/lifetime.mjs";
import { inRoot, ROOT } from "@/scripts/lib/paths.mjs";
import { asAdmin } from "@/scripts/lib/postgres.mjs";
import { Failure, say, step } from "@/scripts/lib/progress.mjs";
import { bundleBench } from "../bundle";
import { writeCardImage } from "../card-image";
import { readUsage } from "../cpu";
import { createDatabase, type DatabaseUrls, describeSettings } from "../database";
import { findPostmaster, readDatabaseCpu } from "../database-cpu";
import type { LoadFiles, LoadResult } from "../load";
import { describeTrouble, median, table } from "../report";
import { seedGrowth, signIn } from "../seed-growth";
import { API_SERVER, type BenchServer, runLoad, startServer, writeLoadData } from "../servers";
import { readWal } from "../wal";
import { COSTS_FILE, type Cost, formatCosts, KINDS, type Kind, type Measured, readCosts, TITLES } from "./costs";
import {
  bytesPerRow,
  folderBytes,
  keptBytes,
  readTables,
  type TableSizes,
  waitUntilSealed,
  watchConnections,
} from "./storage";

const DATABASE = "crosswalk_bench_scaling";
const SIZE = { policies: 20_000, audit: 100_000, events: 20_000 };
const CONNECTIONS = 4;
/** Until V8 has compiled the hot functions, requests cost more. */
const WARM_UP = 3_000;
/** Requests for random policies right after a checkpoint, few enough that most change pages that no other has changed. */
const AFTER_CHECKPOINT = 300;
const INSURANCES = 50_000;
const COPIED = ["patient", "policy", "policy_version", "patient_insurance", "audit_entry", "published_event"];

type RequestKind = Exclude<Kind, "webhook" | "convert">;
/** Decoding images takes most of an upload. */
const SLOW: readonly Kind[] = ["upload"];

interface Setup {
  server: BenchServer;
  files: LoadFiles;
  images: string;
  client: pg.Client;
  postmaster: number;
  rounds: number;
  requests: number;
}

type Round = Pick<Cost, "serverMs" | "databaseMs" | "walBytes"> & { requests: number };

type RequestCost = Omit<Cost, "kept"> & { before: TableSizes; after: TableSizes; requests: number };

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      requests: { type: "string", default: "1000" },
      kinds: { type: "string", default: KINDS.join(",") },
      publish: { type: "boolean", default: false },
    },
  });
  const [rounds, requests] = [Number(values.rounds), Number(values.requests)];
  if (!(rounds >= 1 && requests >= 100)) throw new Failure("--rounds must be at least 1, and --requests at least 100");
  const kinds = KINDS.filter((kind) => values.kinds.split(",").includes(kind));
  return { rounds, requests, kinds, publish: values.publish };
}

await main(async () => {
  const { rounds, requests, kinds, publish } = readOptions();
  const [loadAverage = 0] = os.loadavg();
  await bundleBench(["bench/load.ts", "bench/api-server.ts"]);
  const urls = await step("Creating a database", prepare);
  const postmaster = await findPostmaster(urls.ownerUrl);
  if (postmaster === null) throw new Failure("the CPU time of PostgreSQL can't be read");
  const settings = await describeSettings(urls.ownerUrl);
  const { costs, rowBytes, postgres, copyBytesPerCpuSecond } = await asAdmin(urls.ownerUrl, async (client) => {
    const setup = { ...(await start(urls)), client, postmaster, rounds, requests };
    const measured: [RequestKind, RequestCost][] = [];
    for (const kind of kinds) {
      if (kind === "webhook" || kind === "convert") continue;
      measured.push([kind, await step(`Measuring ${TITLES[kind]}`, () => measureRequests(kind, setup))]);
    }
    await setup.server.stop();
    const perRow = bytesPerRow(await readTables(client));
    const copyBytesPerCpuSecond = await step("Copying tables", () => measureCopy(client, postmaster));
    const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
    const withKept = measured.map(([kind, cost]) => [kind, toCost(cost, perRow)] as const);
    return {
      costs: Object.fromEntries(withKept) as Partial<Record<Kind, Cost>>,
      rowBytes: Object.fromEntries([...perRow].sort()),
      postgres: rows[0]?.server_version ?? "",
      copyBytesPerCpuSecond,
    };
  });
  if (kinds.includes("webhook")) costs.webhook = await measureWebhooks(rowBytes);
  const conversion = kinds.includes("convert") ? await measureConversion(rowBytes) : null;
  if (conversion) costs.convert = conversion.cost;
  const date = new Date().toISOString().slice(0, 10);
  const machine = { cores: os.availableParallelism(), node: process.versions.node, postgres, loadAverage, settings };
  const copied = `copied with indexes: ${(copyBytesPerCpuSecond / 1e6).toFixed(0)} MB per CPU second of PostgreSQL`;
  say(`\n${formatCosts(costs)}\n\n${formatRows(rowBytes)}\n\n${copied}`);
  if (publish) publishCosts({ date, ...machine, costs, ...conversion?.parts, rowBytes, copyBytesPerCpuSecond });
  return 0;
});

async function prepare(): Promise<DatabaseUrls> {
  const urls = await createDatabase(DATABASE);
  await seedGrowth(urls.ownerUrl, SIZE);
  return urls;
}

async function start({ url, ownerUrl }: DatabaseUrls): Promise<Pick<Setup, "server" | "files" | "images">> {
  const files = writeLoadData(await signIn(ownerUrl));
  await writeCardImage(files.imageFile);
  const images = path.join(path.dirname(files.dataFile), "images");
  const settings = {
    DATABASE_URL: url,
    IMAGE_STORE_DIR: images,
    RATE_LIMIT_PER_SECOND: "1000000",
    ADDRESS_RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "info",
    STREAM_CONSUMER: "inline",
    PUBLIC_URL: "",
  };
  return { server: await startServer("crosswalk", settings, [], API_SERVER), files, images };
}

async function measureRequests(kind: RequestKind, setup: Setup): Promise<RequestCost> {
  const { client, rounds, requests, images } = setup;
  const share = SLOW.includes(kind) ? 0.1 : 1;
  const send = async (count: number) => {
    const load = { job: kind, connections: CONNECTIONS, until: { requests: Math.ceil(count * share) } };
    const result = await runLoad(setup.server, setup.files, load);
    const trouble = describeTrouble(result);
    if (trouble) throw new Failure(`${TITLES[kind]}: ${trouble}`);
    return result;
  };
  await send(WARM_UP);
  const imagesBefore = folderBytes(images);
  const before = await readTables(client);
  const measured: Round[] = [];
  let sent = 0;
  for (let round = 0; round < rounds; round++) {
    const one = await measureRound(setup, () => send(requests));
    measured.push(one);
    sent += one.requests;
  }
  const after = await readTables(client);
  const imageBytes = (folderBytes(images) - imagesBefore) / sent;
  const connectionMs = await measureConnections(setup, () => send(requests));
  const perRequest = (figure: (round: Round) => number) =>
    median(measured.map((round) => figure(round) / round.requests));
  return {
    serverMs: perRequest(({ serverMs }) => serverMs),
    databaseMs: perRequest(({ databaseMs }) => databaseMs),
    walBytes: perRequest(({ walBytes }) => walBytes),
    walBytesAfterCheckpoint: await measureWalAfterCheckpoint(setup, () => send(AFTER_CHECKPOINT)),
    connectionMs,
    imageBytes,
    requests: sent,
    before,
    after,
  };
}

/** Measures a round until its last audit entry is sealed. */
async function measureRound({ client, server, postmaster }: Setup, send: () => Promise<LoadResult>): Promise<Round> {
  const read = async () => ({
    serverMs: readUsage(server.pid).cpuMs,
    databaseMs: readDatabaseCpu(postmaster),
    walBytes: await readWal(),
  });
  const before = await read();
  const { requests } = await send();
  await waitUntilSealed(client);
  const after = await read();
  return {
    requests,
    serverMs: after.serverMs - before.serverMs,
    databaseMs: after.databaseMs - before.databaseMs,
    walBytes: after.walBytes - before.walBytes,
  };
}

/** Returns for how long a request keeps a connection busy: busy connections divided by requests per second (Little's law). */
async function measureConnections({ client }: Setup, send: () => Promise<LoadResult>): Promise<number> {
  const sampler = watchConnections(client, DATABASE);
  const { perSecond } = await send();
  return ((await sampler.stop()) / perSecond) * 1000;
}

async function measureWalAfterCheckpoint({ client }: Setup, send: () => Promise<LoadResult>): Promise<number> {
  await client.query("CHECKPOINT");
  const before = await readWal();
  const { requests } = await send();
  await waitUntilSealed(client);
  return ((await readWal()) - before) / requests;
}

function toCost({ before, after, requests, ...cost }: RequestCost, perRow: ReadonlyMap<string, number>): Cost {
  const { records, audit, shortLived } = keptBytes(before, after, perRow);
  return {
    ...cost,
    kept: { records: records / requests, audit: audit / requests, shortLived: shortLived / requests },
  };
}

/** Returns how many bytes a CPU second of PostgreSQL copies to empty tables with the same indexes, as a move to another cell does. */
async function measureCopy(client: pg.Client, postmaster: number): Promise<number> {
  let bytes = 0;
  const before = readDatabaseCpu(postmaster);
  for (const name of COPIED) {
    await client.query(`CREATE TABLE copied (LIKE ${name} INCLUDING ALL)`);
    await client.query(`INSERT INTO copied OVERRIDING SYSTEM VALUE SELECT * FROM ${name}`);
    const { rows } = await client.query<{ bytes: number }>("SELECT pg_total_relation_size('copied')::float8 AS bytes");
    bytes += rows[0]?.bytes ?? 0;
    await client.query("DROP TABLE copied");
  }
  return bytes / ((readDatabaseCpu(postmaster) - before) / 1000);
}

/** Measures the delivery of a webhook, which also audits that its client has read the record. */
async function measureWebhooks(rowBytes: Readonly<Record<string, number>>): Promise<Cost> {
  interface Round {
    name: string;
    cpuMs: number;
    databaseCpuMs: number;
    walBytes: number;
  }
  const rounds = await runBenchmark<Round[]>("Measuring webhooks", "webhooks.ts", ["--events", "4000", "--json"]);
  const own = rounds.filter(({ name }) => name === "1 worker");
  const medianOf = (figure: (round: Round) => number) => median(own.map(figure));
  return {
    serverMs: medianOf(({ cpuMs }) => cpuMs),
    databaseMs: medianOf(({ databaseCpuMs }) => databaseCpuMs),
    walBytes: medianOf(({ walBytes }) => walBytes),
    walBytesAfterCheckpoint: null,
    connectionMs: null,
    kept: { records: 0, audit: rowBytes.audit_entry ?? 0, shortLived: rowBytes.webhook_attempt ?? 0 },
    imageBytes: 0,
  };
}

/** Measures reading, checking, converting and verifying an insurance, with its share of its patient. */
async function measureConversion(
  rowBytes: Readonly<Record<string, number>>,
): Promise<{ cost: Cost; parts: Required<Pick<Measured, "conversionWalBytes">> }> {
  interface Run {
    insurances: number;
    records: number;
    works: { name: string; cpuSeconds: number; databaseCpuSeconds: number; walBytes: number }[];
  }
  const args = ["--insurances", String(INSURANCES), "--no-roll-back", "--json"];
  const run = await runBenchmark<Run>("Measuring a conversion", "migration-run.ts", args);
  const perInsurance = (figure: (work: Run["works"][number]) => number) =>
    run.works.reduce((sum, work) => sum + figure(work), 0) / run.insurances;
  const sizeOf = (...tables: string[]) => tables.reduce((sum, name) => sum + (rowBytes[name] ?? 0), 0);
  const perPatient = sizeOf("patient", "patient_version") * (run.records / run.insurances);
  const cost = {
    serverMs: perInsurance(({ cpuSeconds }) => cpuSeconds * 1000),
    databaseMs: perInsurance(({ databaseCpuSeconds }) => databaseCpuSeconds * 1000),
    walBytes: perInsurance(({ walBytes }) => walBytes),
    walBytesAfterCheckpoint: null,
    connectionMs: null,
    kept: { records: sizeOf("policy", "policy_version", "patient_insurance") + perPatient, audit: 0, shortLived: 0 },
    imageBytes: 0,
  };
  const wal = run.works.map(({ name, walBytes }) => [name, walBytes / run.insurances] as const);
  return { cost, parts: { conversionWalBytes: Object.fromEntries(wal) } };
}

/** Runs another benchmark, and returns the JSON that it prints, whether or not it reaches its goal. */
function runBenchmark<T>(title: string, file: string, args: readonly string[]): Promise<T> {
  return step(title, () => {
    const child = spawn(process.execPath, ["--import", "tsx", inRoot("bench", file), ...args], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    onEnd(() => void child.kill());
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    return new Promise<T>((resolve, reject) =>
      child.once("close", (code) => {
        // The last lines of a benchmark that missed its goal are text.
        const json = /^[[{]\n[\s\S]*?^[\]}]$/m.exec(text)?.[0];
        if (json) resolve(JSON.parse(json));
        else reject(new Failure(`${file} exited with code ${code}`));
      }),
    );
  });
}

/** Writes the costs to the published file, which keeps those of kinds that were not measured. */
function publishCosts(measured: Omit<Measured, "costs"> & { costs: Partial<Record<Kind, Cost>> }): void {
  const before = fs.existsSync(COSTS_FILE) ? readCosts() : null;
  const costs = { ...before?.costs, ...measured.costs };
  const rowBytes = { ...before?.rowBytes, ...measured.rowBytes };
  const published = { ...before, ...measured, costs, rowBytes };
  fs.writeFileSync(COSTS_FILE, `${JSON.stringify(published, roundNumbers, 2)}\n`);
}

/** Rounds figures of the published file to four digits. */
function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

function formatRows(rowBytes: Readonly<Record<string, number>>): string {
  return table(
    ["table", "bytes per row"],
    Object.entries(rowBytes).map(([name, bytes]) => [name, bytes.toFixed(0)]),
  );
}
