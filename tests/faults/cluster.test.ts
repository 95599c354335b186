// Parts of a cluster (`npm run cluster`) fail while clients write to both stores: no acknowledged write is lost, none is applied twice, and
// service returns.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { startCluster } from "@/scripts/lib/cluster/cluster.mjs";
import { hasClusterPrograms } from "@/scripts/lib/cluster/programs.mjs";
import { hasSwift } from "@/scripts/lib/cluster/swift.mjs";
import { type Basics, seedBasics } from "../support/api";
import { type LoadResult, underLoad } from "../support/cluster-load";
import { freePort } from "../support/processes";
import { rounds } from "../support/rounds";
import { runScript } from "../support/run-script";
import { createListener } from "../support/webhook-clients";
import { startReceiver, stopReceivers } from "../support/webhook-receivers";

const WRITERS = 4;
const HEAL_MS = 60_000;
const ROUNDS = rounds(1);

describe.skipIf(!hasClusterPrograms() || !hasSwift())("a cluster", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-cluster-"));
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let basics: Basics;
  const table: (LoadResult & { fault: string; healed_s: string })[] = [];

  beforeAll(async () => {
    await build();
    process.env.WEBHOOK_ALLOW_PRIVATE = "true";
    cluster = await startCluster({ folder, port: await freePort(), environment: process.env });
    Object.assign(process.env, cluster.settings);
    basics = await seedBasics();
    const receiver = await startReceiver();
    await createListener(basics, `http://127.0.0.1:${receiver.port}/`);
  }, 240_000);
  afterAll(async () => {
    console.table(table);
    await closePool();
    await cluster?.stop();
    await stopReceivers();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const kill = async (name: string) => {
    process.kill(cluster.programs.get(name)?.pid ?? 0, "SIGKILL");
  };
  const FAULTS: [string, () => Promise<void>][] = [
    ["a server is killed", () => kill("web-1")],
    ["a worker is killed", () => kill("worker-1")],
    [
      "the primary database is killed",
      async () => cluster.databases.killPostgres((await cluster.databases.primary()) ?? ""),
    ],
    [
      "the machine of the primary is lost",
      async () => cluster.databases.killMachine((await cluster.databases.primary()) ?? ""),
    ],
  ];

  test.each(FAULTS)(
    `loses and doubles nothing while %s, ${ROUNDS} times`,
    { timeout: 240_000 * ROUNDS },
    async (fault, inject) => {
      for (let round = 0; round < ROUNDS; round++) {
        await expect.poll(() => cluster.databases.isHealthy(), { timeout: HEAL_MS, interval: 500 }).toBe(true);
        let healed = 0;
        const result = await underLoad({ url: cluster.url, basics, writers: WRITERS }, async (writers) => {
          const written = (least: number) => writers.every(({ writes }) => writes.length >= least);
          await expect.poll(() => written(8), { timeout: HEAL_MS }).toBe(true);
          const injected = performance.now();
          await inject();
          // From then on, each client has been served twice.
          const least = Math.max(...writers.map(({ writes }) => writes.length)) + 8;
          await expect.poll(() => written(least), { timeout: HEAL_MS }).toBe(true);
          healed = performance.now() - injected;
        });
        table.push({ fault, ...result, healed_s: (healed / 1_000).toFixed(1) });
        expect(result).toMatchObject({ lost: 0, doubled: 0 });
      }
    },
  );

  test("has an audit log that verifies", async () => {
    const { code, stdout, stderr } = await runScript("audit-verify.ts", []);
    expect([code, stderr], stdout).toEqual([0, ""]);
  });
});
