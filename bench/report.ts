import type { JobCounts } from "./counts";
import { JOB_TITLES, type Job } from "./jobs";
import type { LoadResult } from "./load";
import type { ServerName } from "./servers";

/** One round of one job on one server. */
export interface Round extends LoadResult {
  job: Job;
  server: ServerName;
  cpuMs: number;
  /** The CPU time of all processes of PostgreSQL. Null if it can't be read. */
  databaseCpuMs: number | null;
  rssMiB: number;
}

/** Medians of the rounds. */
export interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
  /** Requests per second of the server's CPU time. */
  perServerCpu: number;
  /** Requests per second of the CPU time of the server and PostgreSQL together. Null if that of PostgreSQL can't be read. */
  perTotalCpu: number | null;
}

/** The figures of a job on a server. */
export interface Summary extends Figures {
  job: Job;
  server: ServerName;
  rssMiB: number;
  /** Null if they were not counted. */
  counts: JobCounts | null;
}

/** The product's figures divided by those of another server. */
export interface Ratio {
  job: Job;
  to: ServerName;
  figures: Figures;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

/** Summarizes the rounds by job and server, in the order of the servers. */
export function summarize(
  rounds: readonly Round[],
  servers: readonly ServerName[],
  counts: readonly JobCounts[],
): Summary[] {
  const jobs = [...new Set(rounds.map(({ job }) => job))];
  const pairs = jobs.flatMap((job) => servers.map((server) => ({ job, server })));
  return pairs.flatMap(({ job, server }) => {
    const isOwn = (one: { job: Job; server: ServerName }) => one.job === job && one.server === server;
    const own = rounds.filter(isOwn);
    if (own.length === 0) return [];
    const medianOf = (figure: (round: Round) => number) => median(own.map(figure));
    const hasDatabaseCpu = own.every(({ databaseCpuMs }) => databaseCpuMs !== null);
    const summary: Summary = {
      job,
      server,
      perSecond: medianOf(({ perSecond }) => perSecond),
      p50: medianOf(({ p50 }) => p50),
      p99: medianOf(({ p99 }) => p99),
      perServerCpu: medianOf(({ requests, cpuMs }) => (requests * 1000) / cpuMs),
      perTotalCpu: hasDatabaseCpu
        ? medianOf(({ requests, cpuMs, databaseCpuMs }) => (requests * 1000) / (cpuMs + (databaseCpuMs ?? 0)))
        : null,
      rssMiB: medianOf(({ rssMiB }) => rssMiB),
      counts: counts.find(isOwn) ?? null,
    };
    return [summary];
  });
}

/** Divides the product's figures by those of the other servers, job by job. */
export function divide(summaries: readonly Summary[]): Ratio[] {
  return summaries.flatMap((other) => {
    const own = summaries.find(({ job, server }) => server === "crosswalk" && job === other.job);
    if (!own || own === other) return [];
    const ratioOf = (figure: "perSecond" | "p50" | "p99" | "perServerCpu") => own[figure] / other[figure];
    const figures: Figures = {
      perSecond: ratioOf("perSecond"),
      p50: ratioOf("p50"),
      p99: ratioOf("p99"),
      perServerCpu: ratioOf("perServerCpu"),
      perTotalCpu: own.perTotalCpu && other.perTotalCpu ? own.perTotalCpu / other.perTotalCpu : null,
    };
    return [{ job: other.job, to: other.server, figures }];
  });
}

/** Formats the figures of all servers, and the ratios below those of each job. */
export function formatFigures(summaries: readonly Summary[], ratios: readonly Ratio[]): string {
  const head = ["job", "server", "req/s", "p50 ms", "p99 ms", "req per server CPU s"];
  const withDatabase = summaries.every(({ perTotalCpu }) => perTotalCpu !== null);
  const database = (total: number | null, digits: number) => (withDatabase ? [(total ?? 0).toFixed(digits)] : []);
  const rows = summaries.flatMap((summary, at) => {
    const { job, server, perSecond, p50, p99, perServerCpu, perTotalCpu, counts, rssMiB } = summary;
    const row = [
      summaries[at - 1]?.job === job ? "" : JOB_TITLES[job],
      server,
      ...[perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), perServerCpu.toFixed(0), ...database(perTotalCpu, 0)],
      ...(counts ? [counts.roundTrips.toFixed(1), counts.commits.toFixed(1)] : ["", ""]),
      rssMiB.toFixed(0),
    ];
    if (summaries[at + 1]?.job === job) return [row];
    const below = ratios.filter((ratio) => ratio.job === job);
    return [
      row,
      ...below.map(({ to, figures }) => [
        "",
        `÷ ${to}`,
        ...[figures.perSecond, figures.p50, figures.p99, figures.perServerCpu].map((figure) => figure.toFixed(2)),
        ...database(figures.perTotalCpu, 2),
      ]),
    ];
  });
  const columns = [...head, ...(withDatabase ? ["with database"] : []), "round trips", "commits", "RSS MiB"];
  const note = withDatabase ? "" : "\n\nThe CPU time of PostgreSQL can't be read here, so its column is left out.";
  return `${table(columns, rows)}${note}`;
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
