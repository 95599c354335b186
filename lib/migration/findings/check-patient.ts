import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import { checkInsurance } from "@/lib/migration/findings/check-insurance";
import { CHECKS, type CheckCode, type Finding, type Fix } from "@/lib/migration/findings/checks";
import {
  idOf,
  isBlank,
  isCalendarDate,
  type RawRecord,
  type RecordId,
  recordsOf,
  textOf,
} from "@/lib/migration/record/raw-record";
import { fixDate, type KnownCompanies } from "./fixes";

/** The data that a record is checked against. */
export interface CheckContext {
  /** `YYYY-MM-DD`: the day that the checks use as today. */
  asOf: string;
  companies: KnownCompanies;
  /** Ids that more than one current insurance of the input has. */
  reusedIds: ReadonlySet<string>;
  /** Returns whether an earlier record of the input is about the same person. */
  isKnownPerson: (patient: RawRecord) => boolean;
  /** Returns why a card image can't be decoded as PNG or JPEG, or null. */
  imageProblem: (image: RawRecord) => Promise<string | null>;
}

/** Reports a finding. */
export type Report = (
  code: CheckCode,
  about: { field?: string; found?: unknown; message: string; fix?: Fix | null },
) => void;

/**
 * Checks a patient: the record, its current insurances and its cards (migration checks).
 *
 * @param line of the record in the file
 */
export async function checkPatient(patient: RawRecord, line: number, context: CheckContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  const reportOn =
    (insurance: RecordId | null, position: number | null): Report =>
    (code, { field = null, found = null, message, fix = null }) =>
      findings.push({
        patient: idOf(patient),
        insurance,
        code,
        severity: CHECKS[code].severity,
        line,
        position,
        list: position === null ? null : ("insurances" as const),
        field,
        found,
        message,
        fix,
      });
  checkIdentity(patient, context, reportOn(null, null));
  const current = recordsOf(patient.insurances);
  for (const [at, insurance] of current.entries()) {
    const surroundings = { earlier: current.slice(0, at), later: current.slice(at + 1), context };
    checkInsurance(insurance, surroundings, reportOn(idOf(insurance), at));
  }
  await checkCards(patient, current, context, reportOn(null, null));
  return findings;
}

function checkIdentity(patient: RawRecord, { asOf, isKnownPerson }: CheckContext, report: Report): void {
  const missing = ["first_name", "last_name", "dob"].filter((field) => isBlank(patient[field]));
  const [field] = missing;
  if (field) report("patient_identity_missing", { field, message: `${missing.join(", ")}: missing.` });
  checkBirth(patient, asOf, report);
  if (missing.length === 0 && isKnownPerson(patient)) {
    report("patient_duplicate", { message: "An earlier record has the same practice, name, date of birth and sex." });
  }
}

function checkBirth(patient: RawRecord, asOf: string, report: Report): void {
  const { dob } = patient;
  if (isBlank(dob)) return;
  if (!isCalendarDate(dob)) {
    const fix = fixDate(patient, ["dob"]);
    const isBorn = fix !== null && String(fix.values.dob) <= asOf;
    const message = "dob: not a valid date (YYYY-MM-DD).";
    report("patient_dob_invalid", { field: "dob", found: dob, message, fix: isBorn ? fix : null });
  } else if (dob > asOf) {
    report("patient_dob_invalid", { field: "dob", found: dob, message: `dob: lies after ${asOf}.` });
  }
}

async function checkCards(
  patient: RawRecord,
  current: readonly RawRecord[],
  { imageProblem }: CheckContext,
  report: Report,
): Promise<void> {
  const field = "insurance_cards";
  const ranks = new Set(current.map(({ rank }) => textOf(rank).toLowerCase()));
  const orphaned = new Map<string, unknown>();
  const unreadable = new Map<string, { found: unknown; problem: string }>();
  for (const card of recordsOf(patient.insurance_cards)) {
    const rank = textOf(card.rank);
    const word = RANK_WORDS[Number(rank) - 1];
    const images = recordsOf(card.images);
    if (images.length > 0 && !(word && ranks.has(word))) orphaned.set(rank, card.rank);
    for (const image of images) {
      const problem = await imageProblem(image);
      if (problem !== null && !unreadable.has(rank)) unreadable.set(rank, { found: card.rank, problem });
    }
  }
  for (const [rank, found] of orphaned) {
    report("card_orphan", { field, found, message: `Card of rank ${rank}: no such insurance.` });
  }
  for (const [rank, { found, problem }] of unreadable) {
    report("card_unreadable", { field, found, message: `Card of rank ${rank}: ${problem}` });
  }
}
