import { Failure, step } from "@/scripts/lib/progress.mjs";
import { JOB_TITLES, type Job } from "./jobs";
import type { LoadFiles, LoadResult } from "./load";
import { describeTrouble, table } from "./report";
import { type BenchServer, runLoad } from "./servers";

/** A run with more connections than the pool has. */
export interface CrowdedRun extends LoadResult {
  job: Job;
  patients: "many" | "few";
}

export const CONNECTIONS = 64;
/** The number of policies that runs on few patients share. */
const FEW = 4;
const RUNS: readonly Pick<CrowdedRun, "job" | "patients">[] = [
  { job: "get", patients: "many" },
  { job: "put", patients: "many" },
  { job: "put", patients: "few" },
  { job: "create", patients: "many" },
  { job: "create", patients: "few" },
];

/**
 * Loads the production server with far more connections than its pool has, on many patients and on a few that all requests share.
 *
 * @throws Failure for a response other than 2xx, a timeout or a broken connection
 */
export async function runCrowd(server: BenchServer, files: LoadFiles, seconds: number): Promise<CrowdedRun[]> {
  const runs: CrowdedRun[] = [];
  for (const { job, patients } of RUNS) {
    const title = `${JOB_TITLES[job]} by ${CONNECTIONS} connections on ${patients} patients`;
    const result = await step(title, async () => {
      const targets = patients === "few" ? { targets: FEW } : {};
      return runLoad(server, files, { job, connections: CONNECTIONS, until: { seconds }, ...targets });
    });
    const trouble = describeTrouble(result);
    if (trouble) throw new Failure(`${title}: ${trouble}`);
    runs.push({ ...result, job, patients });
  }
  return runs;
}

export function formatCrowd(runs: readonly CrowdedRun[], poolSize: number): string {
  const rows = runs.map(({ job, patients, perSecond, p50, p99, max }) => [
    JOB_TITLES[job],
    patients,
    perSecond.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
    max.toFixed(1),
  ]);
  const title = `${CONNECTIONS} connections on a pool of ${poolSize}, every response 2xx`;
  return `${title}\n\n${table(["job", "patients", "req/s", "p50 ms", "p99 ms", "max ms"], rows)}`;
}
