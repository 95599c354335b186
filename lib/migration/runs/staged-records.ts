import { type Db, empty, inList, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { DECIDABLE } from "./run-states";
import type { StagedRow } from "./schema";

/**
 * The columns of a `StagedRow`. The statements on records are SQL, because every batch of every stage runs them.
 */
const STAGED = [
  "number",
  "line",
  "raw",
  "exact",
  "refusal",
  "faults",
  "fingerprint",
  "external_id",
  "insurance_ids",
  "past_ids",
  "plan",
  "verdict",
  "state",
  "patient_id",
  "outcome",
] as const satisfies readonly (keyof StagedRow)[];

/**
 * The condition for findings `f` whose record accepts decisions. One look-up by number for each finding: with outdated statistics,
 * PostgreSQL expects few records in these states, and would compare each of them with each finding.
 */
export const DECIDABLE_RECORD = inList(
  sql`(SELECT r.state FROM migration_record r WHERE r.run_id = f.run_id AND r.number = f.number)`,
  DECIDABLE,
);

const ofRecord = (columns: readonly string[]) => raw(columns.map((column) => `r.${column}`).join(", "));

/** The next records of a run that are due, and the number up to which this holds. */
export interface NextStaged<C extends keyof StagedRow = keyof StagedRow> {
  records: Pick<StagedRow, C>[];
  last: number;
}

/** Which records a batch reads: from after a number until the last record of the run, at most `limit` numbers at once. */
interface StagedPage {
  after: number;
  until: number;
  limit: number;
  where?: Sql;
}

/**
 * Lists the next records of a run after this number, in order; null if there are none. Reads ranges of `limit` numbers
 * instead of using LIMIT, so that the primary key finds them even without statistics of a table that was just filled.
 *
 * @param columns the columns to read, because the original and the plan are large
 */
export function listNextStaged(read: Db, runId: number, page: StagedPage): Promise<NextStaged | null>;
export function listNextStaged<C extends keyof StagedRow>(
  read: Db,
  runId: number,
  page: StagedPage,
  columns: readonly C[],
): Promise<NextStaged<C> | null>;
export async function listNextStaged(
  read: Db,
  runId: number,
  { after, until, limit, where = empty }: StagedPage,
  columns: readonly (keyof StagedRow)[] = STAGED,
): Promise<NextStaged | null> {
  for (let from = after; from < until; from += limit) {
    const last = Math.min(from + limit, until);
    const records = await read.rows<StagedRow>(sql`
      SELECT ${ofRecord(columns)} FROM migration_record r
      WHERE r.run_id = ${runId} AND r.number > ${from} AND r.number <= ${last} ${where} ORDER BY r.number`);
    if (records.length > 0) return { records, last };
  }
  return null;
}

/** Lists these records of a run, in order. */
export async function listStagedByNumber(read: Db, runId: number, numbers: readonly number[]): Promise<StagedRow[]> {
  return read.rows<StagedRow>(sql`
    SELECT ${ofRecord(STAGED)} FROM migration_record r WHERE r.run_id = ${runId} AND r.number = ANY(${[...numbers]}::int[])
    ORDER BY r.number`);
}
