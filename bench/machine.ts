import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onEnd } from "@/scripts/lib/lifetime.mjs";
import { Failure } from "@/scripts/lib/progress.mjs";
import { readUsage } from "./cpu";
import { createEmptyDatabase } from "./database";
import { describeTrouble, median } from "./report";
import { seedBound } from "./seed-bound";
import { bundleBench, runLoad, startServer } from "./servers";

/**
 * `PUT` requests of the bound per second of its CPU time on the machine for which the goals in absolute numbers were set. It measured 2,300
 * to 2,800, and the lowest makes the goals of other machines the hardest.
 */
const REFERENCE = 2_300;
const WARM_UP_REQUESTS = 8_000;
const ROUNDS = 3;

/**
 * Starts the bound, to tell how fast this machine is at the moment. Virtual machines on a busy host can change by a factor of two
 * within an hour.
 *
 * @returns measures the speed: 1 is as fast as the machine for which the goals were set
 */
export async function startMachineCheck(): Promise<() => Promise<number>> {
  await bundleBench(["bound.ts", "load.ts"]);
  const { ownerUrl } = await createEmptyDatabase("crosswalk_bench_machine");
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-machine-"));
  onEnd(() => fs.rmSync(folder, { recursive: true, force: true }));
  const files = { dataFile: path.join(folder, "data.json"), imageFile: path.join(folder, "none") };
  fs.writeFileSync(files.dataFile, JSON.stringify(await seedBound(ownerUrl)));
  fs.writeFileSync(files.imageFile, "");
  const server = await startServer("bound", { DATABASE_URL: ownerUrl, POOL: "10" });
  const put = async (until: { requests: number } | { seconds: number }) => {
    const before = readUsage(server.pid).cpuMs;
    const result = await runLoad(server, files, { job: "put", connections: 16, until });
    const trouble = describeTrouble(result);
    if (trouble) throw new Failure(`PUT on the bound: ${trouble}`);
    return (result.requests * 1000) / (readUsage(server.pid).cpuMs - before);
  };
  await put({ requests: WARM_UP_REQUESTS });
  return async () => {
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(await put({ seconds: 2 }));
    return median(rates) / REFERENCE;
  };
}
