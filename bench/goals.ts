import { CONNECTIONS, type CrowdedRun } from "./crowd";
import { JOB_TITLES, type Job } from "./jobs";
import { type Ratio, type Summary, table } from "./report";

/** The required requests per second of server CPU time, divided by those of the bound. */
const RATIOS: Partial<Record<Job, number>> = { get: 0.6, list: 0.6, put: 0.5, token: 0.8 };
/** The p99 must be below this many times the p50. */
const SPREAD = 5;
const RSS_MIB = 300;
/** With more connections than the pool has, no response may take as long as this. */
const STALL_MS = 1_000;

interface Goal {
  name: string;
  goal: string;
  measured: string;
  isMet: boolean;
}

interface Measured {
  summaries: readonly Summary[];
  ratios: readonly Ratio[];
  crowd: readonly CrowdedRun[];
  /** The memory of the product's server after all jobs. */
  rssMiB: number;
}

/** Compares what was measured with the goals. Those of jobs that were not measured are left out. */
export function checkGoals({ summaries, ratios, crowd, rssMiB }: Measured): Goal[] {
  const slowest = Math.max(...crowd.map(({ max }) => max));
  return [
    ...ratios.flatMap(({ job, to, figures: { perServerCpu } }) => {
      const goal = RATIOS[job];
      if (to !== "bound" || goal === undefined) return [];
      const name = `${JOB_TITLES[job]}: requests per second of server CPU, divided by those of the bound`;
      return [{ name, goal: `at least ${goal}`, measured: perServerCpu.toFixed(2), isMet: perServerCpu >= goal }];
    }),
    ...summaries.flatMap(({ job, server, p50, p99 }) => {
      if (server !== "crosswalk") return [];
      const [name, spread] = [`${JOB_TITLES[job]}: p99 divided by p50`, p99 / p50];
      return [{ name, goal: `below ${SPREAD}`, measured: spread.toFixed(1), isMet: spread < SPREAD }];
    }),
    ...(crowd.length > 0
      ? [
          {
            name: `${CONNECTIONS} connections: the slowest response`,
            goal: `below ${STALL_MS} ms`,
            measured: `${slowest.toFixed(0)} ms`,
            isMet: slowest < STALL_MS,
          },
        ]
      : []),
    {
      name: "RSS after all jobs",
      goal: `below ${RSS_MIB} MiB`,
      measured: `${rssMiB.toFixed(0)} MiB`,
      isMet: rssMiB < RSS_MIB,
    },
  ];
}

export function formatGoals(goals: readonly Goal[]): string {
  const rows = goals.map(({ name, goal, measured, isMet }) => [name, goal, measured, isMet ? "met" : "MISSED"]);
  return table(["goal", "required", "measured", ""], rows);
}
