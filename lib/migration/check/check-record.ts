import type { Verdict } from "@/generated/rows/enums";
import { applyFixes } from "@/lib/migration/findings/apply-fixes";
import { CONVERSION_CHECKS, type FindingRow, RUN_CHECKS, type RunCheckCode } from "@/lib/migration/findings/checks";
import { type CheckContext, type Examined, examineRecord } from "@/lib/migration/findings/examine-record";
import { readPatient } from "@/lib/migration/findings/read-patient";
import type { PatientPlan, Planned, PlanProblem } from "@/lib/migration/plan/plan-patient";
import type { CompanyDirectory } from "@/lib/migration/record/mapping";
import { idOf, type RawRecord, recordsOf, stagedRaw, textOf } from "@/lib/migration/record/raw-record";
import type { StagedPatient } from "@/lib/migration/record/schema";
import type { StagedRow } from "@/lib/migration/runs/schema";
import { describePath } from "@/lib/platform/files/parse-record";

/** A finding before it is stored. */
export type FoundRow = Omit<FindingRow, "id" | "decision" | "reason">;

/** The data that a record is checked against. */
export interface RecordContext {
  /** `YYYY-MM-DD` */
  asOf: string;
  now: Date;
  companies: CheckContext["companies"];
  /** Maps the payer IDs of the export to the practice's; null if the record is the practice's own. */
  directory: CompanyDirectory | null;
  reusedIds: ReadonlySet<string>;
  /** The first record with each id that several insurances have. */
  firstOf: ReadonlyMap<string, number>;
  hasKnownPerson: boolean;
  /** The line of an earlier record with the same patient id. */
  repeats: number | null;
  /** Plans the conversion of a record that could be read. */
  plan: (patient: StagedPatient, decided: { leftOut: ReadonlySet<number>; ended: ReadonlySet<number> }) => Planned;
}

/** The result of a check: its findings, and the plan if no error blocks the record. */
export interface CheckResult {
  /** The patient as the conversion reads it; null if the record can't be read. */
  patient: StagedPatient | null;
  findings: FoundRow[];
  plan: PatientPlan | null;
  verdict: Verdict;
  /** Insurances of the record, current and past. */
  insurances: number;
  /** The number of past insurances that staff skipped. */
  leftOut: number;
}

type Decided = Pick<FindingRow, "severity" | "decision" | "list" | "position">;

/**
 * Counts the errors that still block a record. A skipped error excludes the record from the conversion, so nothing blocks
 * it. On a past insurance, it excludes only that insurance.
 */
export function countBlockers(findings: readonly Decided[]): number {
  const gone = leftOutPast(findings);
  const isSettled = ({ list, position }: Decided) => list === "deleted_insurances" && gone.has(position ?? -1);
  const errors = findings.filter((one) => one.severity === "error" && one.decision !== "accepted" && !isSettled(one));
  return errors.some(({ decision }) => decision === "skipped") ? 0 : errors.length;
}

/** A record with the decisions of staff applied: fixes that were accepted, past insurances that were skipped. */
interface Effective {
  /** The record with all its insurances. */
  effective: RawRecord;
  /** The record without the skipped insurances. */
  kept: RawRecord;
  /** Positions of the kept past insurances in the record. */
  past: number[];
  /** IDs of the skipped past insurances. */
  leftOut: Set<number>;
}

function applyDecisions(raw: RawRecord, decided: readonly FindingRow[]): Effective {
  const effective = applyFixes(raw, decided);
  const places = leftOutPast(decided);
  const ids = recordsOf(effective.deleted_insurances).map(({ id }) => Number(id));
  const leftOut = new Set(ids.filter((id, at) => places.has(at) && Number.isSafeInteger(id) && id > 0));
  return { effective, leftOut, ...leaveOutPast(effective, places) };
}

/** Applies the decisions of staff and reads the record as the conversion does, or returns why it can't be read. */
export function readStaged(
  row: Pick<StagedRow, "raw" | "exact" | "refusal">,
  decided: readonly FindingRow[],
  { asOf, now }: { asOf: string; now: Date },
): ({ patient: StagedPatient } & Effective) | { effective: RawRecord | null; reason: string } {
  const raw = stagedRaw(row);
  if (raw === null) return { effective: null, reason: row.refusal ?? "can't be read" };
  const effective = applyDecisions(raw, decided);
  if (row.refusal !== null) return { effective: effective.effective, reason: row.refusal };
  const { patient, faults } = readPatient(effective.kept, { asOf, now });
  if (patient) return { patient, ...effective };
  const reason = faults.map(({ path, message }) => `${describePath(path)}: ${message}`).join("; ");
  return { effective: effective.effective, reason };
}

/**
 * Applies the decisions of staff, checks the record and plans its conversion. Only errors prevent a plan.
 */
export async function checkRecord(
  row: StagedRow,
  decided: readonly FindingRow[],
  context: RecordContext,
): Promise<CheckResult> {
  const raw = stagedRaw(row);
  const findings: FoundRow[] = [];
  if (raw === null || row.refusal !== null) {
    const patient = raw ? textOf(idOf(raw)) || null : null;
    findings.push(unreadable(row, patient));
    return {
      patient: null,
      findings,
      plan: null,
      verdict: "refused",
      insurances: raw ? countInsurances(raw) : 0,
      leftOut: 0,
    };
  }
  const { effective, kept, past, leftOut } = applyDecisions(raw, decided);
  const examined = await examineRecord(kept, row.line, {
    asOf: context.asOf,
    now: context.now,
    companies: context.companies,
    directory: context.directory,
    reusedIds: context.reusedIds,
    isKnownPerson: () => context.hasKnownPerson,
    imageProblem: async ({ problem }) => (typeof problem === "string" ? problem : null),
    repeats: context.repeats,
    isOnEarlierRecord: (id) => (context.firstOf.get(id) ?? row.number) < row.number,
    faults: row.faults ?? [],
  });
  findings.push(...examined.findings.map((finding) => toRow(finding, row, past)));
  let plan: PatientPlan | null = null;
  if (examined.patient && !hasError(findings)) {
    const planned = context.plan(examined.patient, { leftOut, ended: confirmedEnds(decided) });
    if ("plan" in planned) ({ plan } = planned);
    else findings.push(...planned.problems.map((problem) => toProblem(problem, row, effective, past)));
  }
  const gone = leftOutPast(decided);
  // Findings of a skipped insurance stay listed with the decision.
  const settled = decided.filter(
    ({ list, position, decision }) =>
      decision !== "accepted" && list === "deleted_insurances" && gone.has(position ?? -1),
  );
  findings.push(...settled.map(({ id: _id, decision: _decision, reason: _reason, ...found }) => found));
  return {
    patient: examined.patient,
    findings,
    plan,
    verdict: plan === null ? "refused" : plan.verdict,
    insurances: countInsurances(effective),
    leftOut: recordsOf(effective.deleted_insurances).length - past.length,
  };
}

const countInsurances = (record: RawRecord) =>
  recordsOf(record.insurances).length + recordsOf(record.deleted_insurances).length;

/** Returns the IDs of insurances missing from the export that staff confirmed as ended. */
function confirmedEnds(decisions: readonly FindingRow[]): Set<number> {
  const confirmed = decisions.filter(({ code, decision }) => code === "insurance_absent" && decision === "accepted");
  return new Set(confirmed.map(({ insurance }) => Number(insurance)));
}

const hasError = (findings: readonly FoundRow[]) => findings.some(({ severity }) => severity === "error");

function unreadable({ number, line, refusal }: StagedRow, patient: string | null): FoundRow {
  return {
    number,
    patient,
    insurance: null,
    list: null,
    position: null,
    code: "line_unreadable",
    severity: CONVERSION_CHECKS.line_unreadable.severity,
    field: null,
    found: null,
    message: `Line ${line} ${refusal ?? "can't be read"}.`,
    fix: null,
  };
}

/** Returns the finding to store. Its position counts all insurances of the record, including skipped ones. */
function toRow(
  { line: _line, patient, insurance, list, position, ...finding }: Examined["findings"][number],
  { number }: StagedRow,
  past: readonly number[],
): FoundRow {
  return {
    ...finding,
    number,
    list,
    position: toOriginalPosition(list, position, past),
    patient: patient === null ? null : String(patient),
    insurance: insurance === null ? null : String(insurance),
  };
}

const toOriginalPosition = (list: FindingRow["list"], position: number | null, past: readonly number[]) =>
  list === "deleted_insurances" && position !== null ? (past[position] ?? null) : position;

function toProblem(
  { code, message, list, position, insurance, fix }: PlanProblem & { code: RunCheckCode },
  { number }: StagedRow,
  record: RawRecord,
  past: readonly number[],
): FoundRow {
  return {
    number,
    patient: textOf(idOf(record)) || null,
    insurance: insurance === null ? null : String(insurance),
    list,
    position: toOriginalPosition(list, position, past),
    code,
    severity: RUN_CHECKS[code].severity,
    field: null,
    found: null,
    message,
    fix: fix ?? null,
  };
}

/** Returns the positions of skipped past insurances, which have an error that staff skipped. */
export function leftOutPast(
  findings: readonly Pick<FindingRow, "severity" | "decision" | "list" | "position">[],
): Set<number> {
  const skipped = findings.filter(
    ({ severity, decision, list }) => severity === "error" && decision === "skipped" && list === "deleted_insurances",
  );
  return new Set(skipped.flatMap(({ position }) => position ?? []));
}

/** Removes past insurances from a record. `past` has the original positions of the remaining ones. */
export function leaveOutPast(record: RawRecord, places: ReadonlySet<number>): { kept: RawRecord; past: number[] } {
  const entries = Array.isArray(record.deleted_insurances) ? record.deleted_insurances : [];
  const past = entries.flatMap((_, at) => (places.has(at) ? [] : [at]));
  if (past.length === entries.length) return { kept: record, past };
  return { kept: { ...record, deleted_insurances: past.map((at) => entries[at]) }, past };
}
