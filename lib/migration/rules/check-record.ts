import type { FindingRow, StagedRow, Verdict } from "../schema/run";
import { applyFixes } from "./apply-fixes";
import { type CheckContext, checkPatient } from "./check-patient";
import { RUN_CHECKS, type RunCheckCode, type Severity } from "./checks";
import type { PatientPlan, Planned, PlanProblem } from "./plan-patient";
import { idOf, type RawRecord, recordsOf, textOf } from "./raw-record";
import { describeProblems, parseValue, patientProblems } from "./read-record";
import { keyOf, type StagedPatient, stagedPatient } from "./staged-record";

/** A finding before it is stored. */
export type FoundRow = Omit<FindingRow, "id" | "decision" | "reason">;

/** What a record is checked against. */
export interface RecordContext {
  /** `YYYY-MM-DD` */
  asOf: string;
  now: Date;
  companies: CheckContext["companies"];
  reusedIds: ReadonlySet<string>;
  /** The first record that has an id which stands on several. */
  firstOf: ReadonlyMap<string, number>;
  hasKnownPerson: boolean;
  /** The line of an earlier record with the same patient id. */
  repeats: number | null;
  /** Decides what becomes of it, once it could be read. */
  plan: (patient: StagedPatient) => Planned;
}

/** What a check came to: its findings and, where nothing keeps the record from it, what would be done. */
export interface CheckedRow {
  /** As the conversion reads it; null where it can't be read. */
  patient: StagedPatient | null;
  findings: FoundRow[];
  plan: PatientPlan | null;
  verdict: Verdict;
  /** Insurances of the record, current and past. */
  insurances: number;
}

/** What decided findings leave of a record's blockers: a record that is left out has none. */
export function countBlockers(findings: readonly { severity: Severity; decision: string }[]): number {
  const errors = findings.filter(({ severity, decision }) => severity === "error" && decision !== "accepted");
  return errors.some(({ decision }) => decision === "skipped") ? 0 : errors.length;
}

/** A record with the fixes people accepted, as the conversion reads it; or why it can't be. */
export function readStaged(
  { raw, refusal }: Pick<StagedRow, "raw" | "refusal">,
  fixes: readonly FindingRow[],
  { asOf, now }: { asOf: string; now: Date },
): { patient: StagedPatient; effective: RawRecord } | { effective: RawRecord | null; reason: string } {
  if (raw === null) return { effective: null, reason: refusal ?? "can't be read" };
  const effective = applyFixes(raw, fixes);
  if (refusal !== null) return { effective, reason: refusal };
  const parsed = parseValue(effective, stagedPatient);
  if ("reason" in parsed) return { effective, reason: parsed.reason };
  const problems = patientProblems(parsed.record, { asOf: new Date(`${asOf}T23:59:59Z`), now });
  return problems ? { effective, reason: describeProblems(problems) } : { patient: parsed.record, effective };
}

/**
 * Checks a record as it stands with the accepted fixes, and decides what would become of it. A record is refused for its
 * findings of severity error, and for nothing else: what no check has a code for is found as `record_invalid`.
 */
export async function checkRecord(
  row: StagedRow,
  fixes: readonly FindingRow[],
  context: RecordContext,
): Promise<CheckedRow> {
  const read = readStaged(row, fixes, context);
  const { effective } = read;
  const about = { number: row.number, patient: effective ? textOf(idOf(effective)) || null : null };
  const findings: FoundRow[] = [];
  const report = (code: RunCheckCode, message: string, at: Partial<FoundRow> = {}) =>
    findings.push({
      ...about,
      ...{ insurance: null, position: null, code, severity: RUN_CHECKS[code].severity, field: null },
      ...{ found: null, message, fix: null, ...at },
    });
  if (effective === null) {
    report("line_unreadable", `Line ${row.line} ${"reason" in read ? read.reason : ""}.`);
    return { patient: null, findings, plan: null, verdict: "refused", insurances: 0 };
  }
  findings.push(...(await runChecks(effective, row, context)));
  reportRepeats(effective, row, context, report);
  let plan: PatientPlan | null = null;
  if (!hasError(findings)) {
    if ("reason" in read) report("record_invalid", `${read.reason}.`);
    else {
      const planned = context.plan(read.patient);
      if ("plan" in planned) ({ plan } = planned);
      else for (const problem of planned.problems) reportProblem(problem, report);
    }
  }
  const insurances = recordsOf(effective.insurances).length + recordsOf(effective.deleted_insurances).length;
  const isRefused = plan === null || hasError(findings);
  return {
    patient: "patient" in read ? read.patient : null,
    findings,
    plan: isRefused ? null : plan,
    verdict: isRefused ? "refused" : (plan as PatientPlan).verdict,
    insurances,
  };
}

const hasError = (findings: readonly FoundRow[]) => findings.some(({ severity }) => severity === "error");

async function runChecks(effective: RawRecord, row: StagedRow, context: RecordContext): Promise<FoundRow[]> {
  const found = await checkPatient(effective, row.line, {
    asOf: context.asOf,
    companies: context.companies,
    reusedIds: context.reusedIds,
    isKnownPerson: () => context.hasKnownPerson,
    imageProblem: async ({ problem }) => (typeof problem === "string" ? problem : null),
  });
  return found.map(({ line: _line, patient, insurance, ...finding }) => ({
    ...finding,
    number: row.number,
    patient: patient === null ? null : String(patient),
    insurance: insurance === null ? null : String(insurance),
  }));
}

type ReportRun = (code: RunCheckCode, message: string, at?: Partial<FoundRow>) => void;

/** What an earlier record has already: patient ids, and ids of insurances beyond those that are current on both. */
function reportRepeats(effective: RawRecord, row: StagedRow, context: RecordContext, report: ReportRun): void {
  if (context.repeats !== null)
    report("patient_id_repeated", `id: line ${context.repeats} has the same patient id.`, { field: "id" });
  for (const list of ["insurances", "deleted_insurances"] as const) {
    for (const [at, insurance] of recordsOf(effective[list]).entries()) {
      const id = keyOf(insurance);
      const first = context.firstOf.get(id);
      const isReported = list === "insurances" && context.reusedIds.has(id);
      if (first === undefined || first >= row.number || isReported) continue;
      const position = list === "insurances" ? at : null;
      report("insurance_id_repeated", `id: ${id} stands on an insurance of an earlier record.`, {
        field: "id",
        insurance: id,
        position,
      });
    }
  }
}

function reportProblem({ code, message, position, insurance }: PlanProblem, report: ReportRun): void {
  report(code, message, { position, insurance: insurance === null ? null : String(insurance) });
}
