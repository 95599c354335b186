import { isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { findLastNumber, READINESS_PART } from "./queries";
import type { FindingGroup, RecordGroup, RunGroups, RunRow } from "./schema";

type CountedRun = Pick<RunRow, "id" | "practice_id">;

const RECORD_COUNTS = ["records", "creates", "updates", "unchanged", "archives", "refused", "blockers"] as const;
const FINDING_COUNTS = ["count", "open", "accepted", "skipped", "fixable"] as const;

/** Returns what a run counts: as stored, or counted if the run is at work or has failed. */
export async function findGroups(read: Db, runId: number): Promise<RunGroups> {
  return (await findStored(read, runId)) ?? countGroups(read, runId);
}

async function findStored(read: Db, runId: number): Promise<RunGroups | null> {
  const run = await read.first(kysely.selectFrom("migration_run").select("counts").where("id", "=", runId));
  return run?.counts ?? null;
}

/** Counts the records of a run and their findings: all, or those of these records. */
async function countGroups(read: Db, runId: number, numbers?: readonly number[]): Promise<RunGroups> {
  return {
    records: numbers ? await countWhere(read, runId, inList(sql`r.number`, numbers)) : await countRecords(read, runId),
    findings: await countFindings(read, runId, numbers),
  };
}

/** Records that one statement counts, because statements have a time limit. */
const COUNTED_AT_ONCE = 100_000;

/** Counts the records of a run after this number, up to another one: all by default. */
export async function countRecords(read: Db, runId: number, after = 0, until?: number): Promise<RecordGroup[]> {
  const end = until ?? (await findLastNumber(read, runId));
  let groups: RecordGroup[] = [];
  for (let from = after; from < end; from += COUNTED_AT_ONCE) {
    const range = sql`r.number > ${from} AND r.number <= ${Math.min(from + COUNTED_AT_ONCE, end)}`;
    groups = addGroups(groups, await countWhere(read, runId, range), RECORD_COUNTS, 1);
  }
  return groups;
}

function countWhere(read: Db, runId: number, which: Sql): Promise<RecordGroup[]> {
  return read.rows<RecordGroup>(sql`
    SELECT r.state, r.verdict, ${READINESS_PART} AS part, r.blockers > 0 AS is_blocked, count(*) AS records,
      sum(r.creates) AS creates, sum(r.updates) AS updates, sum(r.unchanged) AS unchanged, sum(r.archives) AS archives,
      sum(r.refused) AS refused, sum(r.blockers) AS blockers
    FROM migration_record r WHERE r.run_id = ${runId} AND ${which} GROUP BY 1, 2, 3, 4`);
}

/** Counts the findings of a run: all, or those of these records. */
export function countFindings(read: Db, runId: number, numbers?: readonly number[]): Promise<FindingGroup[]> {
  return read.rows<FindingGroup>(sql`
    SELECT code, severity, count(*) AS count, count(*) FILTER (WHERE decision = 'open') AS open,
      count(*) FILTER (WHERE decision = 'accepted') AS accepted, count(*) FILTER (WHERE decision = 'skipped') AS skipped,
      count(*) FILTER (WHERE decision = 'open' AND fix IS NOT NULL) AS fixable
    FROM migration_finding WHERE run_id = ${runId} AND ${numbers ? inList(sql`number`, numbers) : sql`TRUE`}
    GROUP BY code, severity`);
}

/**
 * Adds the records of a batch, in the transaction that wrote them, to those that earlier batches counted. They are still in memory then:
 * at the end of the work, counting reads the whole run, and PostgreSQL logs the pages that it reads for the first time.
 *
 * @param run the run before the batch
 * @param until the last record of the batch
 * @returns undefined if nobody counted the records before
 */
export async function countBatch(tx: Tx, run: RunRow, until: number): Promise<RecordGroup[] | undefined> {
  const { id, done: after, counted = after === 0 ? [] : undefined } = run;
  if (!counted || until === after) return counted;
  return addGroups(counted, await countRecords(tx, id, after, until), RECORD_COUNTS, 1);
}

/**
 * Stores the counts of a run's records and findings at the end of its work, and how ready its practice is today. Each record is in one of
 * four parts, which add up: verified, convertible, in need of staff, or `refused` (skipped with a reason).
 */
export async function recordCounts(tx: Tx, run: RunRow): Promise<void> {
  const { id, done, counted } = run;
  const rest = await countRecords(tx, id, counted ? done : 0);
  const records = addGroups(counted ?? [], rest, RECORD_COUNTS, 1);
  await storeGroups(tx, run, { records, findings: await countFindings(tx, id) });
}

/**
 * Changes records and findings of a locked run that is not at work, and its counts by the difference, because counting a million records
 * takes seconds.
 *
 * @param numbers every record that the change can affect
 */
export async function changeCounted<T>(
  tx: Tx,
  run: CountedRun,
  numbers: readonly number[],
  change: () => Promise<T>,
): Promise<T> {
  const stored = await findStored(tx, run.id);
  const before = stored && (await countGroups(tx, run.id, numbers));
  const result = await change();
  const after = await countGroups(tx, run.id, stored ? numbers : undefined);
  await storeGroups(tx, run, stored && before ? replaceGroups(stored, before, after) : after);
  return result;
}

async function storeGroups(tx: Tx, { id, practice_id }: CountedRun, groups: RunGroups): Promise<void> {
  await tx.run(kysely.updateTable("migration_run").set({ counts: groups }).where("id", "=", id));
  const readiness = { run_id: id, ...toReadiness(groups.records) };
  await tx.run(
    kysely
      .insertInto("migration_day")
      .values({ practice_id, day: isoNow().slice(0, 10), ...readiness })
      .onConflict((conflict) => conflict.columns(["practice_id", "day"]).doUpdateSet(readiness)),
  );
}

/** Returns the number of records in each part of the readiness. */
export function toReadiness(groups: readonly RecordGroup[]): Record<RecordGroup["part"], number> {
  const parts = { verified: 0, convertible: 0, person: 0, refused: 0 };
  for (const { part, records } of groups) parts[part] += records;
  return parts;
}

function replaceGroups(all: RunGroups, before: RunGroups, after: RunGroups): RunGroups {
  const replace = <Group extends Record<Count, number>, Count extends string>(
    [groups, removed, added]: readonly [Group[], Group[], Group[]],
    counts: readonly Count[],
  ) => addGroups(addGroups(groups, removed, counts, -1), added, counts, 1);
  return {
    records: replace([all.records, before.records, after.records], RECORD_COUNTS),
    findings: replace([all.findings, before.findings, after.findings], FINDING_COUNTS),
  };
}

/** Adds groups to those that differ only in their counts. Leaves out groups that count nothing. */
function addGroups<Group extends Record<Count, number>, Count extends string>(
  groups: readonly Group[],
  others: readonly Group[],
  counts: readonly Count[],
  sign: 1 | -1,
): Group[] {
  const names: ReadonlySet<string> = new Set(counts);
  const keyOf = (group: Group) =>
    JSON.stringify(
      Object.entries(group)
        .filter(([name]) => !names.has(name))
        .sort(),
    );
  const sums = new Map(groups.map((group) => [keyOf(group), group]));
  for (const other of others) {
    const known = sums.get(keyOf(other));
    const added = counts.map((count) => [count, (known?.[count] ?? 0) + sign * other[count]]);
    sums.set(keyOf(other), { ...other, ...Object.fromEntries(added) });
  }
  return [...sums.values()].filter((group) => counts.some((count) => group[count] !== 0));
}
