import type { Verdict } from "@/generated/rows/enums";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, sql } from "@/lib/platform/db/sql";
import { processWide } from "@/lib/platform/objects";
import { READINESS_PART } from "./queries";
import type { RecordState } from "./schema";

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
  const row = await read.first<Record<string, number>>(sql`
    SELECT count(*) AS records,
      count(*) FILTER (WHERE verdict = 'create') AS p_create, count(*) FILTER (WHERE verdict = 'update') AS p_update,
      count(*) FILTER (WHERE verdict = 'unchanged') AS p_unchanged, count(*) FILTER (WHERE verdict = 'archive') AS p_archive,
      count(*) FILTER (WHERE verdict = 'refused') AS p_refused, count(verdict) AS p_all,
      coalesce(sum(creates), 0) AS i_create, coalesce(sum(updates), 0) AS i_update,
      coalesce(sum(unchanged), 0) AS i_unchanged, coalesce(sum(archives), 0) AS i_archive,
      coalesce(sum(refused), 0) AS i_refused,
      count(*) FILTER (WHERE blockers > 0) AS blocked, coalesce(sum(blockers), 0) AS blockers,
      count(*) FILTER (WHERE verdict = 'refused' AND blockers = 0) AS left_out,
      count(*) FILTER (WHERE ${READINESS_PART} = 'verified') AS r_verified,
      count(*) FILTER (WHERE ${READINESS_PART} = 'convertible') AS r_convertible,
      count(*) FILTER (WHERE ${READINESS_PART} = 'person') AS r_person,
      count(*) FILTER (WHERE ${READINESS_PART} = 'refused') AS r_refused
    FROM migration_record r WHERE run_id = ${runId}`);
  const states = await read.rows(
    kysely
      .selectFrom("migration_record")
      .select(({ fn }) => ["state", fn.countAll<number>().as("count")])
      .where("run_id", "=", runId)
      .groupBy("state"),
  );
  const total = (name: string) => row?.[name] ?? 0;
  const counts = (kind: "p" | "i"): VerdictCounts => {
    const verdicts = {
      create: total(`${kind}_create`),
      update: total(`${kind}_update`),
      unchanged: total(`${kind}_unchanged`),
      archive: total(`${kind}_archive`),
      refused: total(`${kind}_refused`),
    };
    return { ...verdicts, records: Object.values(verdicts).reduce((sum, one) => sum + one, 0) };
  };
  return {
    patients: counts("p"),
    insurances: counts("i"),
    states: Object.fromEntries(states.map(({ state, count }) => [state, count])),
    blocked: { records: total("blocked"), findings: total("blockers") },
    left_out: total("left_out"),
    readiness: {
      verified: total("r_verified"),
      convertible: total("r_convertible"),
      person: total("r_person"),
      refused: total("r_refused"),
    },
  };
}

/** Findings of one code. */
export type FindingGroup = Row<"migration_finding", "code" | "severity"> & {
  count: number;
  open: number;
  accepted: number;
  skipped: number;
  /** Open findings with a proposed fix. */
  fixable: number;
};

/** Counts the findings of a run by code: errors first, then by frequency. */
export async function listFindingGroups(runId: number, read: Db = db): Promise<FindingGroup[]> {
  return read.rows<FindingGroup>(sql`
    SELECT code, severity, count(*) AS count, count(*) FILTER (WHERE decision = 'open') AS open,
      count(*) FILTER (WHERE decision = 'accepted') AS accepted, count(*) FILTER (WHERE decision = 'skipped') AS skipped,
      count(*) FILTER (WHERE decision = 'open' AND fix IS NOT NULL) AS fixable
    FROM migration_finding WHERE run_id = ${runId} GROUP BY code, severity
    ORDER BY severity, count(*) DESC, code`);
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
}

const MAX_RUNS = 100;
const cache = processWide("crosswalk migration run counts", () => new Map<number, CachedCounts>());

/**
 * Counts the records and findings of a run, and keeps the counts until they change: counting 100,000 records takes 250 ms. Every change
 * to records or findings also updates the run's row, so a different `xmin` of that row means that the counts are out of date.
 */
export async function countRun(runId: number): Promise<RunCounts> {
  const run = await db.first<{ stamp: string }>(sql`
    SELECT xmin::text || ' ' || changed_date AS stamp FROM migration_run WHERE id = ${runId}`);
  const stamp = run?.stamp ?? "";
  const known = cache.get(runId);
  if (known?.stamp === stamp) return known.counts;
  const counts = count(runId);
  cache.delete(runId);
  cache.set(runId, { stamp, counts });
  for (const oldest of cache.keys()) if (cache.size > MAX_RUNS) cache.delete(oldest);
  counts.catch(() => cache.delete(runId));
  return counts;
}

async function count(runId: number): Promise<RunCounts> {
  return { totals: await getRunTotals(runId), groups: await listFindingGroups(runId) };
}
