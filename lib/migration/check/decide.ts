import { listColleagues } from "@/lib/access/staff/member-queries";
import { checkRecords, findCompanies, storeChecks } from "@/lib/migration/check/check-run";
import { changeRun, type RunRequest } from "@/lib/migration/runs/migration-run";
import { changeCounted } from "@/lib/migration/runs/run-groups";
import type { RunRow } from "@/lib/migration/runs/schema";
import { listStagedByNumber } from "@/lib/migration/runs/staged-records";
import { isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { empty, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { type FindingFilter, findingCondition } from "./review-queries";

/** A decision on one or more findings. */
export type DecisionInput =
  | { decide: "accept" }
  | { decide: "skip"; reason: string }
  | { decide: "reopen" }
  | { decide: "assign"; owner_id?: number | null; due_date?: string | null; note?: string | null };

/** The findings to decide on: these, or all that match a filter. */
export type FindingChoice = { ids: readonly number[] } | { filter: FindingFilter };

type ChosenFinding = Row<"migration_finding", "id" | "number">;

/** Limits the findings per decision, because their records are checked again in the same transaction. */
const MAX_FINDINGS = 5_000;

/**
 * Decides on findings of a run: accepts proposed fixes, skips records with a reason, reopens findings or assigns them.
 * Skipping an error of a past insurance skips only that insurance. Records are checked again in the same transaction, so
 * verdicts and counts are current when this returns.
 *
 * @returns how many findings were decided on, how many were passed over because the decision doesn't apply to them, and
 *   how many new errors the decision revealed, if any
 * @throws ConflictError run_state
 * @throws ValidationError if a reason is missing, or the assignee is no member of the practice
 */
export async function decideFindings(
  request: RunRequest,
  runId: number,
  choice: FindingChoice,
  input: DecisionInput,
): Promise<{ decided: number; passed_over: number; new_errors?: number }> {
  if (input.decide === "skip" && input.reason.trim() === "") {
    throw new ValidationError({ reason: ["Enter a reason for skipping the record."] });
  }
  return changeRun(request, runId, "decide", async (tx, run) => {
    const chosen = await tx.rows<ChosenFinding>(sql`
      SELECT f.id, f.number FROM migration_finding f JOIN migration_record r ON r.run_id = f.run_id AND r.number = f.number
      WHERE f.run_id = ${runId} AND ${chosenCondition(choice)} ${exceptReserved(choice, input)}
      ORDER BY f.id LIMIT ${MAX_FINDINGS + 1} FOR UPDATE OF f`);
    if (chosen.length > MAX_FINDINGS) {
      throw new ValidationError({
        filter: [`Matches more than ${MAX_FINDINGS} findings. Narrow the filter and decide in parts.`],
      });
    }
    if (input.decide === "assign" && input.owner_id) await requireColleague(request, input.owner_id);
    const ids = chosen.map(({ id }) => id);
    const last = await findLastFinding(tx);
    const decided =
      input.decide === "assign"
        ? await setDecision(tx, ids, input, request)
        : await changeCounted(tx, run, numbersOf(chosen), async () => {
            const settled = await setDecision(tx, ids, input, request);
            await checkAgain(tx, run, numbersOf(settled));
            return settled;
          });
    const settles = input.decide === "accept" || input.decide === "skip";
    const newErrors = settles ? await countErrorsAfter(tx, runId, last) : 0;
    return {
      decided: decided.length,
      passed_over: ids.length - decided.length,
      ...(newErrors > 0 ? { new_errors: newErrors } : {}),
    };
  });
}

const numbersOf = (findings: readonly ChosenFinding[]) => [...new Set(findings.map(({ number }) => number))];

/** Returns the last finding of any run. It is quick to find, and the new findings of a locked run come after it. */
async function findLastFinding(tx: Tx): Promise<number> {
  const { last } = await tx.one(
    kysely.selectFrom("migration_finding").select((row) => row.fn.max<number | null>("id").as("last")),
  );
  return last ?? 0;
}

async function countErrorsAfter(tx: Tx, runId: number, after: number): Promise<number> {
  const { count } = await tx.one(
    kysely
      .selectFrom("migration_finding")
      .select((row) => row.fn.countAll<number>().as("count"))
      .where("run_id", "=", runId)
      .where("id", ">", after)
      .where("severity", "=", "error")
      .where("decision", "=", "open"),
  );
  return count;
}

async function requireColleague({ access }: RunRequest, owner: number): Promise<void> {
  const colleagues = await listColleagues(access);
  if (!colleagues.some(({ id }) => id === owner))
    throw new ValidationError({ owner_id: ["No such member in this practice."] });
}

function chosenCondition(choice: FindingChoice): Sql {
  return "ids" in choice ? sql`f.id = ANY(${[...choice.ids]}::bigint[])` : findingCondition(choice.filter);
}

/**
 * "Accept all fixes" never archives insurances missing from the export. Staff must select these findings or their
 * code.
 */
function exceptReserved(choice: FindingChoice, { decide }: DecisionInput): Sql {
  const isNamed = "ids" in choice || choice.filter.code !== undefined;
  return decide !== "accept" || isNamed ? empty : sql`AND f.code <> 'insurance_absent'`;
}

/**
 * Converted and unchanged records accept no more decisions. One look-up by number for each finding: with outdated statistics, PostgreSQL
 * expects few records in these states, and would compare each of them with each finding.
 */
const UNDECIDED_RECORD = sql`(SELECT r.state FROM migration_record r WHERE r.run_id = f.run_id AND r.number = f.number)
  IN ('checked', 'left_out', 'stale')`;

/** Sets the decision of findings, in one statement because a filter can choose thousands. */
async function setDecision(
  tx: Tx,
  ids: readonly number[],
  input: DecisionInput,
  { origin }: RunRequest,
): Promise<ChosenFinding[]> {
  const which = sql`f.id = ANY(${[...ids]}::bigint[])`;
  const { actor } = origin;
  const by = sql`decided_by = ${JSON.stringify(actor)}::jsonb, decided_date = ${isoNow()}`;
  if (input.decide === "accept") {
    return tx.rows(sql`
      UPDATE migration_finding f SET decision = 'accepted', reason = NULL, ${by}
      WHERE ${which} AND f.decision <> 'accepted' AND f.fix IS NOT NULL AND f.fix <> 'null' AND ${UNDECIDED_RECORD}
      RETURNING f.id, f.number`);
  }
  if (input.decide === "skip") {
    return tx.rows(sql`
      UPDATE migration_finding f SET decision = 'skipped', reason = ${input.reason.trim()}, ${by}
      WHERE ${which} AND f.decision = 'open' AND ${UNDECIDED_RECORD} RETURNING f.id, f.number`);
  }
  if (input.decide === "reopen") {
    return tx.rows(sql`
      UPDATE migration_finding f SET decision = 'open', reason = NULL, decided_by = NULL, decided_date = NULL
      WHERE ${which} AND f.decision <> 'open' AND ${UNDECIDED_RECORD} RETURNING f.id, f.number`);
  }
  const { owner_id: owner, due_date: due, note } = input;
  const kept = (value: unknown, column: Sql, sent: Sql) => (value === undefined ? column : sent);
  return tx.rows(sql`
    UPDATE migration_finding f SET owner_id = ${kept(owner, sql`f.owner_id`, sql`${owner}`)},
      due_date = ${kept(due, sql`f.due_date`, sql`${due}`)}, note = ${kept(note, sql`f.note`, sql`${note}`)}
    WHERE ${which} RETURNING f.id, f.number`);
}

/** Checks records again in the transaction that changed their decisions. */
async function checkAgain(tx: Tx, run: RunRow, numbers: readonly number[]): Promise<void> {
  const companies = await findCompanies(run, tx);
  for (let at = 0; at < numbers.length; at += 200) {
    const records = await listStagedByNumber(tx, run.id, numbers.slice(at, at + 200));
    await storeChecks(tx, run.id, await checkRecords(run, records, companies, tx));
  }
}
