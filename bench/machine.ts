import { Failure } from "@/scripts/lib/progress.mjs";
import { bundleBench } from "./bundle";
import { readUsage } from "./cpu";
import { createEmptyDatabase } from "./database";
import { describeTrouble, median } from "./report";
import { seedBound } from "./seed-bound";
import { runLoad, startServer, writeLoadData } from "./servers";

/**
 * `PUT` requests that the bound answered per second of its CPU time where the goals were set. It was measured several times, with 2,300 to
 * 2,800.
 */
const REFERENCE = 2_300;
const WARM_UP_REQUESTS = 8_000;
const ROUNDS = 3;

/**
 * Starts the bound, whose speed shows how fast this machine is right now. A virtual machine can be half as fast an hour later.
 *
 * @returns a function that measures the speed. A result of 1 means as fast as the machine for which the goals were set
 */
export async function startMachineCheck(): Promise<() => Promise<number>> {
  await bundleBench(["bench/bound.ts", "bench/load.ts"]);
  const { ownerUrl } = await createEmptyDatabase("crosswalk_bench_machine");
  const files = writeLoadData(await seedBound(ownerUrl));
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
