import { Severity, type Verdict } from "@/generated/rows/enums";
import { clock } from "@/lib/platform/clock";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { processWide } from "@/lib/platform/objects";
import { countFindings, countRecords, findGroups, toReadiness } from "./run-groups";
import { isAtWork, type RunState } from "./run-states";
import type { FindingGroup, RecordGroup, RecordState } from "./schema";

/** Counts per verdict, and their sum. */
export type VerdictCounts = Record<Verdict, number> & { records: number };

/** The totals of a run. Each row of counts adds up: records = create + update + unchanged + archive + refused. */
export interface RunTotals {
  patients: VerdictCounts;
  insurances: VerdictCounts;
  /** Patients per state. */
  states: Partial<Record<RecordState, number>>;
  /** Patients blocked by errors, and the number of errors. */
  blocked: { records: number; findings: number };
  /** Patients that staff skipped with a reason. */
  left_out: number;
  readiness: { verified: number; convertible: number; person: number; refused: number };
}

/** Counts the totals of a run. */
export async function getRunTotals(runId: number, read: Db = db): Promise<RunTotals> {
  return toTotals(await countRecords(read, runId));
}

/** Adds up the totals of a run. */
export function toTotals(groups: readonly RecordGroup[]): RunTotals {
  const sum = (count: RecordCount, counts: (group: RecordGroup) => boolean = () => true) =>
    groups.reduce((total, group) => total + (counts(group) ? group[count] : 0), 0);
  const ofVerdict = (verdict: Verdict) => sum("records", (group) => group.verdict === verdict);
  const states = new Set(groups.map(({ state }) => state));
  return {
    patients: withSum({
      create: ofVerdict("create"),
      update: ofVerdict("update"),
      unchanged: ofVerdict("unchanged"),
      archive: ofVerdict("archive"),
      refused: ofVerdict("refused"),
    }),
    insurances: withSum({
      create: sum("creates"),
      update: sum("updates"),
      unchanged: sum("unchanged"),
      archive: sum("archives"),
      refused: sum("refused"),
    }),
    states: Object.fromEntries([...states].map((state) => [state, sum("records", (group) => group.state === state)])),
    blocked: { records: sum("records", ({ is_blocked }) => is_blocked), findings: sum("blockers") },
    left_out: sum("records", ({ verdict, is_blocked }) => verdict === "refused" && !is_blocked),
    readiness: toReadiness(groups),
  };
}

type RecordCount = "records" | "creates" | "updates" | "unchanged" | "archives" | "refused" | "blockers";

const withSum = (verdicts: Record<Verdict, number>): VerdictCounts => ({
  ...verdicts,
  records: Object.values(verdicts).reduce((sum, one) => sum + one, 0),
});

/** Counts the findings of a run by code: errors first, then by frequency. */
export async function listFindingGroups(runId: number, read: Db = db): Promise<FindingGroup[]> {
  return sortFindings(await countFindings(read, runId));
}

const SEVERITIES = Object.values(Severity);

function sortFindings(groups: readonly FindingGroup[]): FindingGroup[] {
  const place = ({ severity }: FindingGroup) => SEVERITIES.indexOf(severity);
  return groups.toSorted((a, b) => place(a) - place(b) || b.count - a.count || (a.code < b.code ? -1 : 1));
}

/** What pages count in the records and findings of a run. */
export interface RunCounts {
  totals: RunTotals;
  groups: FindingGroup[];
}

interface CachedCounts {
  /** Identifies the state of the run that was counted. */
  stamp: string;
  counts: Promise<RunCounts>;
  /** Until this clock time in ms, pages of a run at work show these counts although the run has changed. */
  shownUntil: number;
}

const MAX_RUNS = 100;
/** Counts of a run at work are shown for this many times as long as counting took, so that it takes a tenth of one core. */
const SHOWN_FACTOR = 9;
const cache = processWide("crosswalk migration run counts", () => new Map<number, CachedCounts>());

/**
 * Returns the counts of a run. If they are not stored, because the run is at work, it counts its records and findings, and keeps the counts
 * until they change: counting a million records takes seconds. Every change to records or findings also updates the run's row, so a different
 * `xmin` of that row means that the counts are out of date. A run at work changes many times a second, and its pages ask every second, so
 * they may show counts that are a little older.
 */
export async function countRun(runId: number): Promise<RunCounts> {
  const run = await db.first<{ stamp: string; state: RunState }>(sql`
    SELECT xmin::text || ' ' || changed_date AS stamp, state FROM migration_run WHERE id = ${runId}`);
  const stamp = run?.stamp ?? "";
  const now = clock.now().getTime();
  const known = cache.get(runId);
  if (known && (known.stamp === stamp || (run && isAtWork(run.state) && now < known.shownUntil))) return known.counts;
  const counted: CachedCounts = { stamp, counts: count(runId), shownUntil: Number.POSITIVE_INFINITY };
  cache.delete(runId);
  cache.set(runId, counted);
  for (const oldest of cache.keys()) if (cache.size > MAX_RUNS) cache.delete(oldest);
  counted.counts.then(
    () => {
      const ended = clock.now().getTime();
      counted.shownUntil = ended + SHOWN_FACTOR * (ended - now);
    },
    () => cache.delete(runId),
  );
  return counted.counts;
}

async function count(runId: number): Promise<RunCounts> {
  const { records, findings } = await findGroups(db, runId);
  return { totals: toTotals(records), groups: sortFindings(findings) };
}
