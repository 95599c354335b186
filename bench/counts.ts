import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Failure } from "@/scripts/lib/progress.mjs";
import { bundleOf } from "./bundle";
import { JOB_TITLES, type Job } from "./jobs";
import type { LoadFiles } from "./load";
import { describeTrouble } from "./report";
import { type BenchServer, runLoad, type ServerName, startServer } from "./servers";

export interface Counts {
  roundTrips: number;
  commits: number;
}

/** The counts of one job on one server, per request. */
export interface JobCounts extends Counts {
  job: Job;
  server: ServerName;
}

const WARM_UP_REQUESTS = 100;
const REQUESTS = 500;

/**
 * Counts round trips to PostgreSQL and commits per request under load. The server is started for this only, because counting slows
 * it down.
 */
export async function countWork(
  name: ServerName,
  settings: Record<string, string>,
  files: LoadFiles,
  { jobs, connections }: { jobs: readonly Job[]; connections: number },
): Promise<JobCounts[]> {
  const file = path.join(path.dirname(files.dataFile), `counts-${name}.json`);
  const options = ["--import", bundleOf("round-trips.ts")];
  const server = await startServer(name, { ...settings, COUNTS_FILE: file }, options);
  const counted: JobCounts[] = [];
  for (const job of jobs) {
    const send = async (requests: number) => {
      const trouble = describeTrouble(await runLoad(server, files, { job, connections, until: { requests } }));
      if (trouble) throw new Failure(`${JOB_TITLES[job]} on the ${name} server: ${trouble}`);
    };
    await send(WARM_UP_REQUESTS);
    const before = await readCounts(server, file);
    await send(REQUESTS);
    const after = await readCounts(server, file);
    const perRequest = (count: keyof Counts) => (after[count] - before[count]) / REQUESTS;
    counted.push({ job, server: name, roundTrips: perRequest("roundTrips"), commits: perRequest("commits") });
  }
  await server.stop();
  return counted;
}

async function readCounts({ pid }: BenchServer, file: string): Promise<Counts> {
  fs.rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!fs.existsSync(file)) await pause(10);
  return JSON.parse(fs.readFileSync(file, "utf8")) as Counts;
}
