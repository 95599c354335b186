import type { Verdict } from "@/generated/rows/enums";
import type { Access, Actor } from "@/lib/access/identity/access";
import type { Decision, FindingRow, InsuranceList, Severity } from "@/lib/migration/findings/checks";
import { correctableFields } from "@/lib/migration/findings/corrections";
import type { Difference } from "@/lib/migration/plan/compare-stores";
import { countRun, type RunCounts } from "@/lib/migration/runs/run-counts";
import { isAtWork, MAX_FINDINGS, type RunState } from "@/lib/migration/runs/run-states";
import type { RecordState } from "@/lib/migration/runs/schema";
import { DECIDABLE_RECORD } from "@/lib/migration/runs/staged-records";
import { kysely } from "@/lib/platform/db/kysely";
import { countOf, type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, join, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** Filters the findings of a run. Omitted fields don't filter. */
export interface FindingFilter {
  code?: string | undefined;
  severity?: Severity | undefined;
  /** `accepted` is an accepted fix, `corrected` a value that staff entered. */
  decision?: Decision | "corrected" | undefined;
  /** Whether a fix is proposed. */
  fix?: boolean | undefined;
  /** Staff user; 0 for findings without an owner. */
  owner?: number | undefined;
  /** The patient's id in the export. */
  patient?: string | undefined;
  /** Findings of current or of past insurances. */
  list?: InsuranceList | undefined;
  /** Whether the record still accepts decisions, because it isn't converted. */
  decidable?: boolean | undefined;
}

/** Builds the condition for findings `f` that match a filter. */
export function findingCondition(filter: FindingFilter): Sql {
  const conditions = [
    ...(filter.code === undefined ? [] : [sql`f.code = ${filter.code}`]),
    ...(filter.severity === undefined ? [] : [sql`f.severity = ${filter.severity}`]),
    ...(filter.decision === undefined ? [] : [decisionCondition(filter.decision)]),
    ...(filter.fix === undefined ? [] : [sql`(f.fix IS NOT NULL) = ${filter.fix}`]),
    ...(filter.owner === undefined
      ? []
      : [filter.owner === 0 ? sql`f.owner_id IS NULL` : sql`f.owner_id = ${filter.owner}`]),
    ...(filter.patient === undefined ? [] : [sql`f.patient = ${filter.patient}`]),
    ...(filter.list === undefined ? [] : [sql`f.list = ${filter.list}`]),
    ...(filter.decidable === undefined ? [] : [sql`(${DECIDABLE_RECORD}) = ${filter.decidable}`]),
  ];
  return conditions.length > 0 ? join(conditions, " AND ") : sql`TRUE`;
}

function decisionCondition(decision: Decision | "corrected"): Sql {
  if (decision === "corrected") return sql`f.decision = 'accepted' AND f.fix->'corrected' IS NOT NULL`;
  return decision === "accepted"
    ? sql`f.decision = 'accepted' AND f.fix->'corrected' IS NULL`
    : sql`f.decision = ${decision}`;
}

/** The condition for findings `f` with the same code, field and value as finding `l`. */
export const SAME_VALUE = sql`l.code = f.code AND l.field IS NOT DISTINCT FROM f.field
  AND coalesce(l.found, 'null') = coalesce(f.found, 'null')`;

/** Filters the records of a run. */
export interface RecordFilter {
  /** Records with this verdict, or with an insurance of this verdict. */
  verdict?: Verdict | undefined;
  state?: RecordState | undefined;
  /** The patient's id in the export. */
  patient?: string | undefined;
}

function recordCondition(filter: RecordFilter): Sql {
  const counts: Record<Verdict, Sql> = {
    create: sql`(r.creates > 0 OR r.verdict = 'create')`,
    update: sql`(r.updates > 0 OR r.verdict = 'update')`,
    unchanged: sql`(r.unchanged > 0 OR r.verdict = 'unchanged')`,
    archive: sql`(r.archives > 0 OR r.verdict = 'archive')`,
    refused: sql`r.verdict = 'refused'`,
  };
  const conditions = [
    ...(filter.verdict === undefined ? [] : [counts[filter.verdict]]),
    ...(filter.state === undefined ? [] : [sql`r.state = ${filter.state}`]),
    ...(filter.patient === undefined ? [] : [sql`r.external_id = ${filter.patient}`]),
  ];
  return conditions.length > 0 ? join(conditions, " AND ") : sql`TRUE`;
}

/** A run as staff see it. */
export type RunView = Row<
  "migration_run",
  | "id"
  | "practice_id"
  | "source"
  | "source_name"
  | "source_size"
  | "as_of"
  | "state"
  | "stopped_in"
  | "error"
  | "done"
  | "total"
  | "since_date"
  | "since_done"
  | "verification"
  | "roll_back"
  | "created_date"
  | "changed_date"
  | "purged_date"
> & { actor: Actor };

/** The columns of a `RunView`. `selectPage` takes SQL. */
const VIEW = sql`m.id, m.practice_id, m.source, m.source_name, m.source_size, m.as_of, m.state, m.stopped_in, m.error, m.done, m.total,
  m.since_date, m.since_done, m.origin->'actor' AS actor, m.verification, m.roll_back, m.created_date,
  m.changed_date, m.purged_date`;

/** Lists the runs of the caller's practices by page. */
export async function listRuns(access: Access, page: PageRequest): Promise<PageSlice<RunView>> {
  return selectPage<RunView>(db, {
    columns: VIEW,
    from: sql`migration_run m`,
    where: inList(sql`m.practice_id`, access.practices),
    id: sql`m.id`,
    page,
  });
}

/** @throws NotFoundError if the caller has no such run */
export async function getRunView(access: Access, runId: number, read: Db = db): Promise<RunView> {
  const run = await read.first<RunView>(sql`
    SELECT ${VIEW} FROM migration_run m WHERE m.id = ${runId} AND ${inList(sql`m.practice_id`, access.practices)}`);
  if (!run) throw new NotFoundError("migration run");
  return run;
}

/** Offset and size of a page of a staff list. */
interface StaffPage {
  offset: number;
  limit: number;
}

/** A page of a staff list. */
export interface StaffPageOf<T> {
  count: number;
  results: T[];
}

const toStaffPage = <T>({ rows, count = 0 }: PageSlice<T>): StaffPageOf<Omit<T, "page_key">> => ({
  count,
  results: rows.map(({ page_key: _key, ...row }) => row),
});

/**
 * Reads a page of a run's records or findings. Its count comes from what the run counts anyway, if `known` finds it there: counting a
 * large run takes longer than the rest of the page. A run at work is counted, because its counts may be a little older than its rows.
 */
async function listOfRun<T>(
  run: { id: number; state: RunState },
  { offset, limit }: StaffPage,
  list: (page: PageRequest) => Promise<PageSlice<T>>,
  known: (counts: RunCounts) => number | null,
): Promise<StaffPageOf<Omit<T, "page_key">>> {
  const count = isAtWork(run.state) ? null : known(await countRun(run.id));
  const page = toStaffPage(await list({ offset, limit, order: "id", isCounted: count === null }));
  return count === null ? page : { ...page, count };
}

const isUnset = (value: unknown) => value === undefined;

/** Counts the findings that match a filter, or returns null if the run doesn't count by what it contains. */
function sumFindings({ groups }: RunCounts, { code, severity, decision, ...others }: FindingFilter): number | null {
  const column = decision ?? "count";
  // The run counts corrected findings as accepted.
  if (column === "accepted" || column === "corrected" || !Object.values(others).every(isUnset)) return null;
  return groups
    .filter((group) => (isUnset(code) || group.code === code) && (isUnset(severity) || group.severity === severity))
    .reduce((sum, group) => sum + group[column], 0);
}

/** Counts the records that match a filter, or returns null, as for findings. */
function sumRecords({ totals }: RunCounts, { state, ...others }: RecordFilter): number | null {
  if (!Object.values(others).every(isUnset)) return null;
  return state === undefined ? totals.patients.records : (totals.states[state] ?? 0);
}

/** Lists the practice's runs, newest first. */
export async function searchRuns(access: Access, page: StaffPage) {
  return toStaffPage(await listRuns(access, { ...page, order: "-id" }));
}

/** A finding in the list of a run. */
export type ListedFinding = Omit<FindingView, "page_key"> & {
  /** Staff can enter other values for it. */
  correctable: boolean;
};

/** @throws NotFoundError if the caller has no such run */
export async function searchFindings(
  access: Access,
  runId: number,
  { offset, limit, ...filter }: StaffPage & FindingFilter,
): Promise<StaffPageOf<ListedFinding>> {
  const run = await getRunView(access, runId);
  const { count, results } = await listOfRun(
    run,
    { offset, limit },
    (page) => listFindings(runId, filter, page),
    (counts) => sumFindings(counts, filter),
  );
  const isCorrectable = (row: FindingRow) => run.source === "file" && correctableFields(row).length > 0;
  return { count, results: results.map((row) => ({ ...row, correctable: isCorrectable(row) })) };
}

/** @throws NotFoundError if the caller has no such run */
export async function searchRecords(
  access: Access,
  runId: number,
  { offset, limit, ...filter }: StaffPage & RecordFilter,
) {
  const run = await getRunView(access, runId);
  return listOfRun(
    run,
    { offset, limit },
    (page) => listRecords(runId, filter, page),
    (counts) => sumRecords(counts, filter),
  );
}

/** Returns the converted patients of these records, because access to their data is audited. */
export function convertedPatients(records: readonly { patient_id: number | null }[]): number[] {
  return records.flatMap(({ patient_id }) => (patient_id === null ? [] : [patient_id]));
}

/** A finding as staff see it, with the patient's name as the export has it. */
export type FindingView = FindingRow &
  Row<"migration_finding", "decided_by" | "decided_date" | "owner_id" | "due_date" | "note"> & {
    line: Row<"migration_record">["line"];
    name: string | null;
    record_state: RecordState;
  };

const NAME = sql`nullif(trim(both ', ' FROM concat_ws(', ', r.raw->>'last_name', r.raw->>'first_name')), '')`;

/** The columns of a `FindingView`. This and `FINDINGS` stay SQL, because `selectPage` takes it. */
const FINDING = sql`f.id, f.number, f.patient, f.insurance, f.list, f.position, f.code, f.severity, f.field, f.found, f.message, f.fix,
  f.decision, f.reason, f.decided_by, f.decided_date, f.owner_id, f.due_date, f.note, r.line, r.state AS record_state,
  ${NAME} AS name`;

const FINDINGS = sql`migration_finding f JOIN migration_record r ON r.run_id = f.run_id AND r.number = f.number`;

/** Returns the tables that counting needs. Each finding has a record. */
const countedTables = ({ decidable }: FindingFilter) => (isUnset(decidable) ? sql`migration_finding f` : FINDINGS);

const ofRun = (runId: number, filter: FindingFilter) => sql`f.run_id = ${runId} AND ${findingCondition(filter)}`;

const countStatement = (runId: number, filter: FindingFilter) => countOf(countedTables(filter), ofRun(runId, filter));

/** Lists the findings of a run by page. */
export async function listFindings(
  runId: number,
  filter: FindingFilter,
  page: PageRequest,
): Promise<PageSlice<FindingView>> {
  return selectPage<FindingView>(db, {
    columns: FINDING,
    from: FINDINGS,
    where: ofRun(runId, filter),
    countStatement: countStatement(runId, filter),
    id: sql`f.id`,
    page,
  });
}

/** Lists the findings of a run after this one, for an export that reads them in parts. */
export async function listFindingsAfter(
  runId: number,
  filter: FindingFilter,
  { after, limit }: { after: number; limit: number },
): Promise<FindingView[]> {
  return db.rows<FindingView>(sql`
    SELECT ${FINDING} FROM ${FINDINGS}
    WHERE ${ofRun(runId, filter)} AND f.id > ${after} ORDER BY f.id LIMIT ${limit}`);
}

/** Returns the ID of a run's last finding, or 0 without findings. */
export async function findLastFinding(runId: number, read: Db = db): Promise<number> {
  const { last } = await read.one(
    kysely
      .selectFrom("migration_finding")
      .select((row) => row.fn.max<number | null>("id").as("last"))
      .where("run_id", "=", runId),
  );
  return last ?? 0;
}

/** Lists the findings of a record, those of the patient first. */
export async function listFindingsOfRecord(runId: number, number: number): Promise<FindingView[]> {
  return db.rows<FindingView>(sql`
    SELECT ${FINDING} FROM ${FINDINGS} WHERE f.run_id = ${runId} AND f.number = ${number}
    ORDER BY f.list DESC NULLS FIRST, f.position NULLS FIRST, f.severity, f.id`);
}

/**
 * Counts the open findings of the run with the code, field and value of each of these findings, by the finding's ID. Counts end at one
 * more than a decision can have.
 */
export async function countLike(runId: number, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await db.rows<{ id: number; count: number }>(sql`
    SELECT l.id, alike.count FROM migration_finding l, LATERAL (
      SELECT count(*) AS count FROM (
        SELECT FROM migration_finding f
        WHERE f.run_id = l.run_id AND f.decision = 'open' AND ${SAME_VALUE} AND ${DECIDABLE_RECORD}
        LIMIT ${MAX_FINDINGS + 1}) found) alike
    WHERE l.run_id = ${runId} AND ${inList(sql`l.id`, ids)}`);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Returns the differences that verification found in a record. */
export async function findRecordDifferences(runId: number, number: number): Promise<Difference[]> {
  const row = await db.first(
    kysely
      .selectFrom("migration_record")
      .select("differences")
      .where("run_id", "=", runId)
      .where("number", "=", number),
  );
  return row?.differences ?? [];
}

/** Counts the findings that match a filter. */
export async function countFindings(runId: number, filter: FindingFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(countStatement(runId, filter));
  return count;
}

/** A record in a list. */
export type RecordView = Row<
  "migration_record",
  | "line"
  | "external_id"
  | "verdict"
  | "state"
  | "creates"
  | "updates"
  | "unchanged"
  | "archives"
  | "refused"
  | "blockers"
  | "patient_id"
> & { id: number; name: string | null };

/** The columns of a `RecordView`. */
const RECORD = sql`r.number AS id, r.line, r.external_id, ${NAME} AS name, r.verdict, r.state, r.creates, r.updates,
  r.unchanged, r.archives, r.refused, r.blockers, r.patient_id`;

/** Lists the records of a run by page, in the order of the file. `id` is the record's number. */
export async function listRecords(
  runId: number,
  filter: RecordFilter,
  page: PageRequest,
): Promise<PageSlice<RecordView>> {
  return selectPage<RecordView>(db, {
    columns: RECORD,
    from: sql`migration_record r`,
    where: sql`r.run_id = ${runId} AND ${recordCondition(filter)}`,
    id: sql`r.number`,
    page,
  });
}
