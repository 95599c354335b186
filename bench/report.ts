import { GOALS, JOB_TITLES, type Job } from "./jobs";
import type { LoadResult } from "./load";
import type { ServerName } from "./servers";

/** One round of one job on one server. */
export interface Round extends LoadResult {
  job: Job;
  server: ServerName;
  cpuMs: number;
  rssMiB: number;
}

/** The medians of all rounds of a job on a server. */
export interface Summary {
  job: Job;
  server: ServerName;
  perSecond: number;
  p50: number;
  p99: number;
  rssMiB: number;
  cpuMsPerRequest: number;
}

export interface Comparison {
  job: Job;
  crosswalk: Summary;
  handWritten: Summary;
  /** Requests per second of CPU time, ours divided by those of the hand-written server. */
  ratio: number;
  goal: number | null;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function summarize(rounds: readonly Round[], job: Job, server: ServerName): Summary {
  const own = rounds.filter((round) => round.job === job && round.server === server);
  const medianOf = (figure: (round: Round) => number) => median(own.map(figure));
  return {
    job,
    server,
    perSecond: medianOf(({ perSecond }) => perSecond),
    p50: medianOf(({ p50 }) => p50),
    p99: medianOf(({ p99 }) => p99),
    rssMiB: medianOf(({ rssMiB }) => rssMiB),
    cpuMsPerRequest: medianOf(({ cpuMs, requests }) => cpuMs / requests),
  };
}

export function compare(rounds: readonly Round[]): Comparison[] {
  return [...new Set(rounds.map(({ job }) => job))].map((job) => {
    const crosswalk = summarize(rounds, job, "crosswalk");
    const handWritten = summarize(rounds, job, "hand-written");
    const ratio = handWritten.cpuMsPerRequest / crosswalk.cpuMsPerRequest;
    return { job, crosswalk, handWritten, ratio, goal: GOALS[job] ?? null };
  });
}

/** Formats comparisons as a table of plain text. */
export function formatComparisons(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap(({ job, crosswalk, handWritten, ratio, goal }) => [
    [...cells(JOB_TITLES[job], handWritten), ""],
    [...cells("", crosswalk), `${ratio.toFixed(2)}${verdict(ratio, goal)}`],
  ]);
  return table(["job", "server", "req/s", "p50 ms", "p99 ms", "RSS MiB", "CPU ms/req", "ratio"], rows);
}

function cells(title: string, { server, perSecond, p50, p99, rssMiB, cpuMsPerRequest }: Summary): string[] {
  const figures = [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), rssMiB.toFixed(0), cpuMsPerRequest.toFixed(3)];
  return [title, server, ...figures];
}

function verdict(ratio: number, goal: number | null): string {
  return goal === null ? "" : ` (goal ${goal.toFixed(2)}: ${ratio >= goal ? "met" : "MISSED"})`;
}

/** Formats rows as a table with aligned columns. Numbers are aligned right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        /^[\d.]+$/.test(cell) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** Describes what invalidates a round: a response other than 2xx, a timeout or a broken connection. Returns null if nothing does. */
export function describeTrouble({ failures, errors, timeouts, requests }: LoadResult): string | null {
  const statuses = Object.entries(failures).map(([status, count]) => `${count} × ${status}`);
  const problems = [
    ...statuses,
    ...(errors > 0 ? [`${errors} broken connections`] : []),
    ...(timeouts > 0 ? [`${timeouts} timeouts`] : []),
    ...(requests === 0 ? ["no responses"] : []),
  ];
  return problems.length > 0 ? problems.join(", ") : null;
}
