// Parts of a cluster (`npm run cluster`) fail while clients write to both stores: no acknowledged write is lost, none is made twice, and
// service returns within a minute. `npm run faults` does more, and more often.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/lib/platform/db/sql";
import { groupBy } from "@/lib/platform/objects";
import { build } from "@/scripts/lib/build-steps.mjs";
import { startCluster } from "@/scripts/lib/cluster/cluster.mjs";
import { hasClusterPrograms } from "@/scripts/lib/cluster/programs.mjs";
import { hasSwift } from "@/scripts/lib/cluster/swift.mjs";
import { type Basics, seedBasics } from "../support/api";
import { type LoadResult, underLoad } from "../support/cluster-load";
import { randomFrom } from "../support/fuzz-values";
import { freePort } from "../support/processes";
import { runScript } from "../support/run-script";
import { createListener } from "../support/webhook-clients";
import { startReceiver, stopReceivers } from "../support/webhook-receivers";

const WRITERS = 4;
/** A round of a client has four writes. */
const ROUND = 4;
const HEAL_MS = 60_000;
/** Longer than Patroni's `ttl`, so that a standby takes over. */
const AWAY_MS = 25_000;
const HANG_MS = 5_000;
const { FAULT_ROUNDS, FAULT_SEED = "1" } = process.env;
const ROUNDS = Number(FAULT_ROUNDS ?? 1);

type Cluster = Awaited<ReturnType<typeof startCluster>>;

describe.skipIf(!hasClusterPrograms() || !hasSwift())("a cluster", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-cluster-"));
  const random = randomFrom(Number(FAULT_SEED));
  const rows: (LoadResult & { fault: string; healedMs: number })[] = [];
  let cluster: Cluster;
  let basics: Basics;
  let webhookStatus = 200;

  beforeAll(async () => {
    await build();
    process.env.WEBHOOK_ALLOW_PRIVATE = "true";
    cluster = await startCluster({ folder, port: await freePort(), environment: process.env });
    Object.assign(process.env, cluster.settings);
    basics = await seedBasics();
    const receiver = await startReceiver((_request, response) => response.writeHead(webhookStatus).end());
    await createListener(basics, `http://127.0.0.1:${receiver.port}/`);
  }, 240_000);
  afterAll(async () => {
    console.table(summarize(rows));
    await closePool();
    for (const name of cluster?.databases.names ?? []) cluster.databases.loseMachine(name);
    await cluster?.stop();
    await stopReceivers();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const signal = async (name: string, signal: NodeJS.Signals) => cluster.programs.get(name)?.signal(signal);
  const anyOf = (kind: string) => `${kind}-${random() < 0.5 ? 1 : 2}`;
  const primary = async () => (await cluster.databases.primary()) ?? expect.unreachable("no primary");
  const hang = async (send: (signal: NodeJS.Signals) => void, ms: number) => {
    send("SIGSTOP");
    await setTimeout(ms);
    send("SIGCONT");
  };

  /** What fails in each run of the tests. */
  const USUAL: Record<string, () => Promise<void>> = {
    "a server is killed": () => signal(anyOf("web"), "SIGKILL"),
    "the primary database is killed": async () => cluster.databases.killPostgres(await primary()),
    "the image store hangs for 5 s": () => hang(cluster.signalStore, HANG_MS),
  };
  /** What fails besides with `npm run faults`. */
  const OTHERS: Record<string, () => Promise<void>> = {
    "a worker is killed": () => signal(anyOf("worker"), "SIGKILL"),
    "a server is replaced": () => signal(anyOf("web"), "SIGTERM"),
    "both servers are killed": async () => {
      for (const name of ["web-1", "web-2"]) await signal(name, "SIGKILL");
    },
    "both workers are killed": async () => {
      for (const name of ["worker-1", "worker-2"]) await signal(name, "SIGKILL");
    },
    "HAProxy is killed": () => signal("haproxy", "SIGKILL"),
    "Redis hangs for 5 s": () => hang((name) => void signal("redis", name), HANG_MS),
    "webhooks are rejected for 5 s": async () => {
      webhookStatus = 500;
      await setTimeout(HANG_MS);
      webhookStatus = 200;
    },
    "the machine of the primary is lost for 25 s": async () => {
      const name = await primary();
      cluster.databases.loseMachine(name);
      await setTimeout(AWAY_MS);
      cluster.databases.startMachine(name);
    },
    "the machine of the primary hangs for 25 s": async () => {
      const name = await primary();
      await hang((sent) => cluster.databases.signalMachine(name, sent), AWAY_MS);
    },
  };
  const faults = Object.entries(FAULT_ROUNDS === undefined ? USUAL : { ...USUAL, ...OTHERS });

  test.each(faults)("loses and doubles nothing while %s", { timeout: 240_000 * ROUNDS }, async (fault, inject) => {
    for (let round = 0; round < ROUNDS; round++) {
      await expect.poll(() => cluster.databases.isHealthy(), { timeout: HEAL_MS, interval: 500 }).toBe(true);
      let healedMs = 0;
      const result = await underLoad({ url: cluster.url, basics, writers: WRITERS }, async (writers) => {
        const written = (least: number) =>
          expect
            .poll(() => writers.every(({ writes }) => writes.length >= least), { timeout: AWAY_MS + HEAL_MS })
            .toBe(true);
        await written(2 * ROUND);
        await setTimeout(random() * 1_000);
        const injected = performance.now();
        await inject();
        await written(Math.max(...writers.map(({ writes }) => writes.length)) + 2 * ROUND);
        healedMs = performance.now() - injected;
      });
      rows.push({ fault, ...result, healedMs });
      expect(result).toMatchObject({ lost: 0, doubled: 0 });
    }
  });

  test("has an audit log that verifies", async () => {
    const { code, stdout, stderr } = await runScript("audit-verify.ts", []);
    expect([code, stderr], stdout).toEqual([0, ""]);
  });
});

/**
 * Returns a line for each fault: how many attempts were repeated, because they were rejected or lost their connection, and the time until each
 * client has done two more rounds of writes.
 */
function summarize(rows: readonly (LoadResult & { fault: string; healedMs: number })[]) {
  return [...groupBy(rows, ({ fault }) => fault)].map(([fault, own]) => {
    const healed = own.map(({ healedMs }) => healedMs / 1_000).sort((a, b) => a - b);
    const sum = (of: (row: LoadResult) => number) => own.reduce((total, row) => total + of(row), 0);
    return {
      fault,
      rounds: own.length,
      writes: sum(({ writes }) => writes),
      lost: sum(({ lost }) => lost),
      doubled: sum(({ doubled }) => doubled),
      repeated: sum(({ failures }) => failures),
      "healed, median s": healed[Math.floor(healed.length / 2)]?.toFixed(1),
      "longest s": healed.at(-1)?.toFixed(1),
    };
  });
}
