import { RANK_WORDS } from "@/lib/insurance/ranks";
import { checkInsurance } from "./check-insurance";
import { CHECKS, type CheckCode, type Finding, type Fix } from "./checks";
import { idOf, isBlank, isCalendarDate, type RawRecord, recordsOf, textOf } from "./raw-record";

/** What a record is checked against besides itself. */
export interface CheckContext {
  /** `YYYY-MM-DD`: the day the practice lives in. */
  asOf: string;
  /** The practice's insurance companies: name in lower case without outer space → id and name. */
  companies: ReadonlyMap<string, { id: number; carrier: string }>;
  /** Ids that stand on more than one current insurance of the input. */
  reusedIds: ReadonlySet<number>;
  /** Whether an earlier record of the input is of the same person. */
  isKnownPerson: (patient: RawRecord) => boolean;
  /** Whether an image decodes as PNG or JPEG. */
  isReadable: (base64: unknown) => Promise<boolean>;
}

/** Where a rule reports what it found. */
export type Report = (
  code: CheckCode,
  about: { field?: string; found?: unknown; message: string; fix?: Fix | null },
) => void;

/** Every finding of one patient: of the record itself, its current insurances and its cards (migration checks). */
export async function checkPatient(patient: RawRecord, context: CheckContext): Promise<Finding[]> {
  const findings: Finding[] = [];
  const reportOn =
    (insurance: number | null): Report =>
    (code, { field = null, found = null, message, fix = null }) =>
      findings.push({
        ...{ patient: idOf(patient), insurance, code, severity: CHECKS[code].severity },
        ...{ field, found, message, fix },
      });
  checkIdentity(patient, context, reportOn(null));
  const current = recordsOf(patient.insurances);
  for (const [at, insurance] of current.entries()) {
    checkInsurance(insurance, { earlier: current.slice(0, at), context }, reportOn(idOf(insurance)));
  }
  await checkCards(patient, current, context, reportOn(null));
  return findings;
}

function checkIdentity(patient: RawRecord, { asOf, isKnownPerson }: CheckContext, report: Report): void {
  const missing = ["first_name", "last_name", "dob"].filter((field) => isBlank(patient[field]));
  const [field] = missing;
  if (field) report("patient_identity_missing", { field, message: `${missing.join(", ")}: missing.` });
  const dob = textOf(patient.dob);
  if (dob !== "" && !isCalendarDate(dob)) {
    report("patient_dob_invalid", { field: "dob", found: patient.dob, message: "dob: no calendar date, YYYY-MM-DD." });
  } else if (dob > asOf) {
    report("patient_dob_invalid", { field: "dob", found: patient.dob, message: `dob: lies after ${asOf}.` });
  }
  if (missing.length === 0 && isKnownPerson(patient)) {
    report("patient_duplicate", { message: "An earlier record has the same practice, name, date of birth and sex." });
  }
}

async function checkCards(
  patient: RawRecord,
  current: readonly RawRecord[],
  { isReadable }: CheckContext,
  report: Report,
): Promise<void> {
  const ranks = new Set(current.map(({ rank }) => textOf(rank).toLowerCase()));
  const orphaned = new Set<unknown>();
  const unreadable = new Set<unknown>();
  for (const card of recordsOf(patient.insurance_cards)) {
    const word = RANK_WORDS[Number(card.rank) - 1];
    if (!(word && ranks.has(word))) orphaned.add(card.rank);
    for (const { base64_content } of recordsOf(card.images)) {
      if (!(await isReadable(base64_content))) unreadable.add(card.rank);
    }
  }
  for (const rank of orphaned) {
    report("card_orphan", {
      field: "insurance_cards",
      found: rank,
      message: `Card of rank ${rank}: no such insurance.`,
    });
  }
  for (const rank of unreadable) {
    const message = `Card of rank ${rank}: an image is no PNG or JPEG in base64.`;
    report("card_unreadable", { field: "insurance_cards", found: rank, message });
  }
}
