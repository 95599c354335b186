import { listColleagues } from "@/lib/access/staff/member-queries";
import { recheckRecords } from "@/lib/migration/check/check-run";
import type { FindingRow } from "@/lib/migration/findings/checks";
import type { CorrectedValue } from "@/lib/migration/findings/corrections";
import { storeCorrectedIds } from "@/lib/migration/runs/insurance-ids";
import { changeRun, type RunRequest } from "@/lib/migration/runs/migration-run";
import { listFindingsOf } from "@/lib/migration/runs/queries";
import { changeCounted } from "@/lib/migration/runs/run-groups";
import { isDecidable, MAX_FINDINGS } from "@/lib/migration/runs/run-states";
import type { RunRow } from "@/lib/migration/runs/schema";
import { DECIDABLE_RECORD } from "@/lib/migration/runs/staged-records";
import { isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { empty, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { groupBy } from "@/lib/platform/objects";
import { type ChosenRow, correctFindings } from "./correct";
import { type FindingFilter, findingCondition, SAME_VALUE } from "./review-queries";

/** A decision on one or more findings. */
export type DecisionInput =
  | { decide: "accept" }
  | { decide: "correct"; values: Readonly<Record<string, CorrectedValue>> }
  | { decide: "skip"; reason: string }
  | { decide: "reopen" }
  | { decide: "assign"; owner_id?: number | null; due_date?: string | null; note?: string | null };

/**
 * The findings to decide on: these, all that match a filter, or the open ones with the code, field and value of this one, up to
 * `MAX_FINDINGS`.
 */
export type FindingChoice = { ids: readonly number[] } | { filter: FindingFilter } | { like: number };

type ChosenFinding = Pick<FindingRow, "id" | "number">;

/**
 * Decides on findings of a run: accepts proposed fixes, corrects values, skips records with a reason, reopens findings or assigns
 * them. Skipping an error of a past insurance skips only that insurance. Records are checked again in the same transaction, so
 * verdicts and counts are current when this returns.
 *
 * @returns how many findings were decided on, how many were passed over because the decision doesn't apply to them, how many
 *   of those a correction doesn't resolve, and how many new errors the decision revealed, if any
 * @throws ConflictError run_state
 * @throws ValidationError if a reason is missing, the assignee is no member of the practice, or a correction resolves nothing
 */
export async function decideFindings(
  request: RunRequest,
  runId: number,
  choice: FindingChoice,
  input: DecisionInput,
): Promise<{ decided: number; passed_over: number; unresolved?: number; new_errors?: number }> {
  if (input.decide === "skip" && input.reason.trim() === "") {
    throw new ValidationError({ reason: ["Enter a reason for skipping the record."] });
  }
  return changeRun(request, runId, "decide", async (tx, run) => {
    const chosen = await lockChosen(tx, runId, choice, input);
    if (chosen.length > MAX_FINDINGS) {
      throw new ValidationError({
        filter: [
          `More than ${MAX_FINDINGS} findings match. Narrow the filter, and decide on fewer findings at a time.`,
        ],
      });
    }
    if (input.decide === "assign" && input.owner_id) await requireColleague(request, input.owner_id);
    const last = await findLastFinding(tx);
    const { decided, unresolved } = await decide(tx, run, { chosen, input, request });
    const newErrors = SETTLING.includes(input.decide) ? await countErrorsAfter(tx, runId, last) : 0;
    return {
      decided: decided.length,
      passed_over: chosen.length - decided.length,
      ...(unresolved > 0 ? { unresolved } : {}),
      ...(newErrors > 0 ? { new_errors: newErrors } : {}),
    };
  });
}

/** Decisions that can reveal errors. */
const SETTLING: readonly DecisionInput["decide"][] = ["accept", "correct", "skip"];

type LockedFinding = ChosenRow & Pick<FindingRow, "fix">;

function lockChosen(tx: Tx, runId: number, choice: FindingChoice, input: DecisionInput): Promise<LockedFinding[]> {
  const [first, limit] = "like" in choice ? [sql`f.id <> ${choice.like},`, MAX_FINDINGS] : [empty, MAX_FINDINGS + 1];
  return tx.rows<LockedFinding>(sql`
    SELECT f.id, f.number, f.code, f.field, f.found, f.list, f.position, f.fix, f.decision, r.state
    FROM migration_finding f JOIN migration_record r ON r.run_id = f.run_id AND r.number = f.number
    WHERE f.run_id = ${runId} AND ${chosenCondition(runId, choice)} ${exceptReserved(choice, input)}
    ORDER BY ${first} f.id LIMIT ${limit} FOR UPDATE OF f`);
}

interface Decided {
  decided: ChosenFinding[];
  unresolved: number;
}

/** Makes a decision, and checks the records again unless it only assigns them. */
async function decide(
  tx: Tx,
  run: RunRow,
  { chosen, input, request }: { chosen: readonly LockedFinding[]; input: DecisionInput; request: RunRequest },
): Promise<Decided> {
  const ids = chosen.map(({ id }) => id);
  if (input.decide === "assign") return { decided: await setDecision(tx, ids, input, request), unresolved: 0 };
  if (input.decide === "correct") return correctFindings(request, tx, run, { chosen, values: input.values });
  const isUndone = input.decide === "reopen" && chosen.some(({ fix }) => fix && "id" in fix.values);
  const others = isUndone ? await undoIds(tx, run, chosen) : [];
  const numbers = [...numbersOf(chosen), ...others];
  return changeCounted(tx, run, numbers, async () => {
    const decided = await setDecision(tx, ids, input, request);
    await recheckRecords(tx, run, [...new Set([...numbersOf(decided), ...others])]);
    return { decided, unresolved: 0 };
  });
}

/** Stores the insurance IDs of records without the corrections that are undone. Returns all records to check again. */
async function undoIds(tx: Tx, run: RunRow, chosen: readonly LockedFinding[]): Promise<number[]> {
  const undone = new Map(chosen.map((one) => [one.id, one]));
  const rows = await listFindingsOf(tx, run.id, numbersOf(chosen.filter(({ state }) => isDecidable(state))));
  const open = rows.map((one) => (undone.has(one.id) ? { ...one, decision: "open" as const } : one));
  return storeCorrectedIds(
    tx,
    run.id,
    groupBy(open, ({ number }) => number),
  );
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

function chosenCondition(runId: number, choice: FindingChoice): Sql {
  if ("like" in choice) {
    return sql`f.decision = 'open' AND ${DECIDABLE_RECORD} AND EXISTS (
      SELECT FROM migration_finding l WHERE l.run_id = ${runId} AND l.id = ${choice.like} AND ${SAME_VALUE})`;
  }
  return "ids" in choice ? sql`f.id = ANY(${[...choice.ids]}::bigint[])` : findingCondition(choice.filter);
}

/**
 * "Accept all fixes" never archives insurances missing from the export. Staff must select these findings or their
 * code.
 */
function exceptReserved(choice: FindingChoice, { decide }: DecisionInput): Sql {
  const isNamed = !("filter" in choice) || choice.filter.code !== undefined;
  return decide !== "accept" || isNamed ? empty : sql`AND f.code <> 'insurance_absent'`;
}

/** Sets the decision of findings, in one statement because a filter can choose thousands. */
async function setDecision(
  tx: Tx,
  ids: readonly number[],
  input: Exclude<DecisionInput, { decide: "correct" }>,
  { origin }: RunRequest,
): Promise<ChosenFinding[]> {
  const which = sql`f.id = ANY(${[...ids]}::bigint[])`;
  const { actor } = origin;
  const by = sql`decided_by = ${JSON.stringify(actor)}::jsonb, decided_date = ${isoNow()}`;
  if (input.decide === "accept") {
    return tx.rows(sql`
      UPDATE migration_finding f SET decision = 'accepted', reason = NULL, ${by}
      WHERE ${which} AND f.decision <> 'accepted' AND f.fix IS NOT NULL AND f.fix <> 'null' AND ${DECIDABLE_RECORD}
      RETURNING f.id, f.number`);
  }
  if (input.decide === "skip") {
    return tx.rows(sql`
      UPDATE migration_finding f SET decision = 'skipped', reason = ${input.reason.trim()}, ${by}
      WHERE ${which} AND f.decision = 'open' AND ${DECIDABLE_RECORD} RETURNING f.id, f.number`);
  }
  if (input.decide === "reopen") {
    return tx.rows(sql`
      UPDATE migration_finding f SET decision = 'open', reason = NULL, decided_by = NULL, decided_date = NULL
      WHERE ${which} AND f.decision <> 'open' AND ${DECIDABLE_RECORD} RETURNING f.id, f.number`);
  }
  const { owner_id: owner, due_date: due, note } = input;
  const kept = (value: unknown, column: Sql, sent: Sql) => (value === undefined ? column : sent);
  return tx.rows(sql`
    UPDATE migration_finding f SET owner_id = ${kept(owner, sql`f.owner_id`, sql`${owner}`)},
      due_date = ${kept(due, sql`f.due_date`, sql`${due}`)}, note = ${kept(note, sql`f.note`, sql`${note}`)}
    WHERE ${which} RETURNING f.id, f.number`);
}
