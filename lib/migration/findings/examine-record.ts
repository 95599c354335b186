import { type CheckContext, checkPatient } from "@/lib/migration/findings/check-patient";
import type { Finding, InsuranceList } from "@/lib/migration/findings/checks";
import { CONVERSION_CHECKS, type ConversionCheckCode } from "@/lib/migration/findings/conversion-checks";
import { readPatient } from "@/lib/migration/findings/read-patient";
import type { RowFault } from "@/lib/migration/record/patient-rows";
import { idOf, type RawRecord, recordsOf } from "@/lib/migration/record/raw-record";
import { recordKey, type StagedPatient } from "@/lib/migration/record/staged-record";
import type { CompanyDirectory } from "./companies";
import { reportFaults } from "./report-faults";

/** The data that a record is checked against. */
export interface ExamineContext extends CheckContext {
  now: Date;
  /** Maps the payer ids of the export; null if they are ids of the practice itself. */
  directory: CompanyDirectory | null;
  /** The line of an earlier record with the same patient id. */
  repeats: number | null;
  /** Returns whether an insurance of an earlier record, current or past, has this id. */
  isOnEarlierRecord: (id: string) => boolean;
  /** Rejected rows of the patient. */
  faults?: readonly RowFault[] | undefined;
}

/** The result of examining a record. */
export interface Examined {
  findings: Finding[];
  /**
   * The patient as the conversion reads it; null if the record can't be read. It is converted if no finding is an
   * error.
   */
  patient: StagedPatient | null;
}

const LISTS = ["insurances", "deleted_insurances"] as const satisfies readonly InsuranceList[];

/**
 * Examines a record: the specified checks, and whatever else would keep it from being converted. `crosswalk check`, runs and
 * `npm run import` decide by this alone, so that they can't disagree (ADR 0150). Nothing is refused without a finding: where the
 * record can't be read, at least one of its findings is an error.
 *
 * @param record as staged: its card images told by `problem`, `sha256` or both
 */
export async function examineRecord(record: RawRecord, line: number, context: ExamineContext): Promise<Examined> {
  const findings = [...rejectedRows(record, line, context), ...(await checkPatient(record, line, context))];
  const reported = findings.filter(({ severity }) => severity === "error");
  const { patient, faults } = readPatient(record, context);
  findings.push(...reportFaults(record, faults, { reported, line }));
  findings.push(...neighborFindings(record, line, context));
  if (patient && context.directory) findings.push(...companyFindings(record, line, context.directory));
  if (patient === null && !findings.some(({ severity }) => severity === "error")) {
    findings.push(toFinding(record, line, "record_invalid", { message: "record: can't be read." }));
  }
  return { findings, patient };
}

/** Refuses a patient with rejected rows, because their content is unknown. */
function rejectedRows(record: RawRecord, line: number, { faults = [] }: ExamineContext): Finding[] {
  return faults.map((fault) => ({
    ...toFinding(record, line, "row_rejected", {
      found: { line: fault.line },
      message: `Line ${fault.line} ${fault.reason}.`,
    }),
    line: fault.line,
  }));
}

type About = Partial<Pick<Finding, "list" | "position" | "insurance" | "field" | "found">> & { message: string };

function toFinding(record: RawRecord, line: number, code: ConversionCheckCode, about: About): Finding {
  return {
    patient: idOf(record),
    insurance: null,
    list: null,
    position: null,
    code,
    severity: CONVERSION_CHECKS[code].severity,
    line,
    field: null,
    found: null,
    fix: null,
    ...about,
  };
}

/** Reports ids that an earlier record has. Another check reports those that are current on both. */
function neighborFindings(record: RawRecord, line: number, context: ExamineContext): Finding[] {
  const { repeats, reusedIds, isOnEarlierRecord } = context;
  const findings: Finding[] = [];
  if (repeats !== null) {
    const message = `id: line ${repeats} has the same patient id.`;
    findings.push(toFinding(record, line, "patient_id_repeated", { field: "id", found: idOf(record), message }));
  }
  for (const list of LISTS) {
    for (const [position, insurance] of recordsOf(record[list]).entries()) {
      const id = recordKey(insurance);
      // Invalid ids have a check of their own.
      if (id === "" || Number(id) <= 0) continue;
      if ((list === "insurances" && reusedIds.has(id)) || !isOnEarlierRecord(id)) continue;
      const about = { list, position, insurance: idOf(insurance), field: "id", found: idOf(insurance) };
      const message = `id: ${id} stands on an insurance of an earlier record.`;
      findings.push(toFinding(record, line, "insurance_id_repeated", { ...about, message }));
    }
  }
  return findings;
}

/** Reports payer ids that match no payer, or several. */
function companyFindings(record: RawRecord, line: number, directory: CompanyDirectory): Finding[] {
  return LISTS.flatMap((list) =>
    recordsOf(record[list]).flatMap((insurance, position): Finding[] => {
      const company = Number(insurance.insurance_company ?? 0);
      if (company === 0) return [];
      const names = directory.ambiguous.get(company);
      if (!names && directory.has(company)) return [];
      const about = { list, position, insurance: idOf(insurance), field: "insurance_company", found: company };
      const message = names
        ? `insurance_company: ${company} is ${names.join(" and ")} in the companies file.`
        : `insurance_company: no company ${company} in the export's companies or the practice.`;
      return [toFinding(record, line, names ? "company_id_ambiguous" : "company_unknown", { ...about, message })];
    }),
  );
}
