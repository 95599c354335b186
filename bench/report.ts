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

/** The product's figures divided by those of another server: the medians of all turns. */
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

/** The figures of one round, or the medians of several. */
function figuresOf(rounds: readonly Round[]): Figures {
  const medianOf = (figure: (round: Round) => number) => median(rounds.map(figure));
  const hasDatabaseCpu = rounds.every(({ databaseCpuMs }) => databaseCpuMs !== null);
  return {
    perSecond: medianOf(({ perSecond }) => perSecond),
    p50: medianOf(({ p50 }) => p50),
    p99: medianOf(({ p99 }) => p99),
    perServerCpu: medianOf(({ requests, cpuMs }) => (requests * 1000) / cpuMs),
    perTotalCpu: hasDatabaseCpu
      ? medianOf(({ requests, cpuMs, databaseCpuMs }) => (requests * 1000) / (cpuMs + (databaseCpuMs ?? 0)))
      : null,
  };
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
    const rssMiB = median(own.map((round) => round.rssMiB));
    return [{ job, server, ...figuresOf(own), rssMiB, counts: counts.find(isOwn) ?? null }];
  });
}

/**
 * Divides the product's figures by those of the other servers, job by job.
 * Each round is divided by the other server's round of the same turn, because the machine's speed changes from turn to turn.
 *
 * @returns The medians of the quotients.
 */
export function divide(rounds: readonly Round[]): Ratio[] {
  const roundsOf = (job: Job, server: ServerName) =>
    rounds.filter((round) => round.job === job && round.server === server);
  const others = rounds.filter(
    ({ job, server }, at) =>
      server !== "crosswalk" && rounds.findIndex((one) => one.job === job && one.server === server) === at,
  );
  return others.map(({ job, server }) => {
    const own = roundsOf(job, "crosswalk");
    const turns = roundsOf(job, server).map((round, turn) => ({
      ours: figuresOf(own.slice(turn, turn + 1)),
      theirs: figuresOf([round]),
    }));
    const ratioOf = (figure: "perSecond" | "p50" | "p99" | "perServerCpu") =>
      median(turns.map(({ ours, theirs }) => ours[figure] / theirs[figure]));
    const hasTotal = turns.every(({ ours, theirs }) => ours.perTotalCpu !== null && theirs.perTotalCpu !== null);
    return {
      job,
      to: server,
      figures: {
        perSecond: ratioOf("perSecond"),
        p50: ratioOf("p50"),
        p99: ratioOf("p99"),
        perServerCpu: ratioOf("perServerCpu"),
        perTotalCpu: hasTotal
          ? median(turns.map(({ ours, theirs }) => (ours.perTotalCpu ?? 0) / (theirs.perTotalCpu ?? 1)))
          : null,
      },
    };
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
