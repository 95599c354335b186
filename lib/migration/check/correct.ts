import { isDeepStrictEqual } from "node:util";
import type { FoundRow } from "@/lib/migration/check/check-record";
import {
  type CheckedStaged,
  checkEach,
  findCompanies,
  readForCheck,
  recheckRecords,
  storeChecks,
} from "@/lib/migration/check/check-run";
import { describeCode, type FindingRow, type Fix } from "@/lib/migration/findings/checks";
import { type CorrectedValue, DATES, readCorrection } from "@/lib/migration/findings/corrections";
import { hasInsuranceId, storeCorrectedIds } from "@/lib/migration/runs/insurance-ids";
import type { RunRequest } from "@/lib/migration/runs/migration-run";
import { listFindingsOf } from "@/lib/migration/runs/queries";
import { changeCounted } from "@/lib/migration/runs/run-groups";
import { isDecidable } from "@/lib/migration/runs/run-states";
import type { RecordState, RunRow } from "@/lib/migration/runs/schema";
import { listStagedByNumber } from "@/lib/migration/runs/staged-records";
import { isoNow } from "@/lib/platform/clock";
import { chunks, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import { ConflictError, type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { groupBy } from "@/lib/platform/objects";

/** A finding that staff chose, and the state of its record. */
export type ChosenRow = Pick<
  FindingRow,
  "id" | "number" | "code" | "field" | "found" | "list" | "position" | "decision"
> & {
  state: RecordState;
};

/** The outcome of a correction. */
interface Corrected {
  decided: ChosenRow[];
  /** How many findings it doesn't resolve. */
  unresolved: number;
}

/**
 * Corrects values of open findings with the same code, field and value, as a fix that staff chose and accepted. Records whose findings
 * it doesn't resolve stay unchanged.
 *
 * @throws ValidationError if the findings differ, a value can't be read, or the correction resolves no finding: the error names each
 *   field that is still invalid
 * @throws ConflictError finding_decided, if none of the findings is open
 */
export async function correctFindings(
  request: RunRequest,
  tx: Tx,
  run: RunRow,
  { chosen, values }: { chosen: readonly ChosenRow[]; values: Readonly<Record<string, CorrectedValue>> },
): Promise<Corrected> {
  const open = chosen.filter(({ decision }) => decision === "open");
  if (chosen.length > 0 && open.length === 0) {
    throw new ConflictError("finding_decided", "This finding was already decided. Reload to see the decision.");
  }
  const fix = toFix(run, open, values);
  const findings = open.filter(({ state }) => isDecidable(state));
  const numbers = [...new Set(findings.map(({ number }) => number))];
  const others = "id" in values ? await correctIds(tx, run, findings, fix) : [];
  return changeCounted(tx, run, [...new Set([...numbers, ...others])], async () => {
    const corrected = await storeCorrection(tx, run, { findings, fix, request });
    await recheckRecords(
      tx,
      run,
      others.filter((number) => !numbers.includes(number)),
    );
    return corrected;
  });
}

function toFix(run: RunRow, chosen: readonly ChosenRow[], entered: Readonly<Record<string, CorrectedValue>>): Fix {
  const [first] = chosen;
  if (!first) throw new ValidationError({ findings: ["No such open finding in this run."] });
  if (run.source === "practice") {
    throw new ValidationError({ findings: ["Correct the practice's own records on the patient's page."] });
  }
  const isLike = (one: ChosenRow) =>
    isDeepStrictEqual([one.code, one.field, one.found], [first.code, first.field, first.found]);
  if (!chosen.every(isLike)) {
    throw new ValidationError({ findings: ["A correction is for findings with the same code, field and value."] });
  }
  if ("id" in entered && chosen.length > 1) {
    throw new ValidationError({ id: ["Each insurance needs its own ID. Correct one finding at a time."] });
  }
  const read = readCorrection(first, entered, run.as_of);
  if ("problems" in read) throw new ValidationError(read.problems);
  return { values: read.values, why: "Corrected by staff.", corrected: true };
}

type Findings = ReadonlyMap<number, FindingRow[]>;

/** Returns the findings of records as they are with a correction. */
function withCorrection(earlier: Findings, chosen: readonly ChosenRow[], fix: Fix): Map<number, FindingRow[]> {
  const ids = new Set(chosen.map(({ id }) => id));
  const apply = (one: FindingRow): FindingRow => (ids.has(one.id) ? { ...one, decision: "accepted", fix } : one);
  return new Map([...earlier].map(([number, rows]) => [number, rows.map(apply)]));
}

/**
 * Stores the insurance IDs of records with a correction. Returns all records to check again.
 *
 * @throws ValidationError if the export already has the ID
 */
async function correctIds(tx: Tx, run: RunRow, chosen: readonly ChosenRow[], fix: Fix): Promise<number[]> {
  if (await hasInsuranceId(tx, run.id, String(fix.values.id))) {
    throw new ValidationError({ id: ["Another insurance of the export has this ID. Enter an unused one."] });
  }
  const numbers = chosen.map(({ number }) => number);
  const findings = groupBy(await listFindingsOf(tx, run.id, numbers), ({ number }) => number);
  return storeCorrectedIds(tx, run.id, withCorrection(findings, chosen, fix));
}

const BATCH_RECORDS = 200;

/** Checks records with a correction, and stores it with the result wherever it resolves the findings. */
async function storeCorrection(
  tx: Tx,
  run: RunRow,
  { findings, fix, request }: { findings: readonly ChosenRow[]; fix: Fix; request: RunRequest },
): Promise<Corrected> {
  const companies = await findCompanies(run, tx);
  const findingsOf = groupBy(findings, ({ number }) => number);
  const decided: ChosenRow[] = [];
  let problems: FieldErrors | null = null;
  for (const numbers of chunks([...findingsOf.keys()], BATCH_RECORDS)) {
    const input = await readForCheck(run, await listStagedByNumber(tx, run.id, numbers), companies, tx);
    const corrected = { ...input, earlier: withCorrection(input.earlier, findings, fix) };
    const resolved: CheckedStaged[] = [];
    const settled: ChosenRow[] = [];
    for await (const result of checkEach(run, corrected, companies)) {
      const { number } = result.row;
      const chosen = findingsOf.get(number) ?? [];
      const before = input.earlier.get(number) ?? [];
      const problem = findProblem(chosen, fix, { before, after: result.checked.findings });
      problems ??= problem;
      if (problem) continue;
      resolved.push(result);
      settled.push(...chosen);
    }
    if (settled.length === 0) continue;
    await setCorrected(tx, settled, fix, request);
    await storeChecks(tx, run.id, resolved);
    decided.push(...settled);
  }
  if (decided.length === 0 && problems) throw new ValidationError(problems);
  return { decided, unresolved: findings.length - decided.length };
}

async function setCorrected(tx: Tx, findings: readonly ChosenRow[], fix: Fix, { origin }: RunRequest) {
  await tx.run(sql`
    UPDATE migration_finding SET decision = 'accepted', reason = NULL, fix = ${JSON.stringify(fix)}::jsonb,
      decided_by = ${JSON.stringify(origin.actor)}::jsonb, decided_date = ${isoNow()}
    WHERE id = ANY(${findings.map(({ id }) => id)}::bigint[])`);
}

const PAYER = ["carrier", "insurance_company"];

/** Returns the error that remains at a corrected field, or that the correction causes there. */
function findProblem(
  chosen: readonly ChosenRow[],
  fix: Fix,
  { before, after }: { before: readonly FindingRow[]; after: readonly FoundRow[] },
): FieldErrors | null {
  const entered = Object.keys(fix.values);
  // An error in either of two related fields is reported on one of them.
  const related = [DATES, PAYER].filter((fields) => fields.some((field) => entered.includes(field)));
  const touched = new Set([...entered, ...related.flat()]);
  const isSame = (one: FoundRow, other: Pick<FindingRow, "code" | "list" | "position">) =>
    one.code === other.code && one.list === other.list && one.position === other.position;
  const remaining = after.find((found) => {
    const field = topField(found.field);
    const repeated = chosen.find((one) => isSame(found, one));
    if (repeated) return touched.has(field) || found.field === repeated.field;
    return found.severity === "error" && touched.has(field) && !before.some((one) => isSame(found, one));
  });
  if (!remaining) return null;
  const { title, advice } = describeCode(remaining.code);
  const field = topField(remaining.field);
  const place = entered.includes(field) ? field : (entered[0] ?? field);
  return { [place]: [`${title}. ${advice}`] };
}

/** Returns the first part of a path: `phones` of `phones[0].phone`. */
const topField = (path: string | null) => /^\w+/.exec(path ?? "")?.[0] ?? "";
