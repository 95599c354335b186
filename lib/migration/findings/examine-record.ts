import { AMOUNT, countCharacters, RANK_WORDS, RELATIONSHIPS, TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import type { CompanyDirectory, KnownCompanies } from "@/lib/migration/record/mapping";
import {
  idOf,
  isBlank,
  isCalendarDate,
  type RawRecord,
  type RecordId,
  type RowFault,
  recordKey,
  recordsOf,
  textOf,
} from "@/lib/migration/record/raw-record";
import type { StagedPatient } from "@/lib/migration/record/schema";
import {
  CHECKS,
  type CheckCode,
  CONVERSION_CHECKS,
  type ConversionCheckCode,
  type Finding,
  type Fix,
  type InsuranceList,
} from "./checks";
import { dayWords, fieldName, fieldSubject } from "./field-words";
import { fixAmount, fixCarrier, fixDate, fixRank, fixRelationship, fixText } from "./fixes";
import { readPatient, reportFaults } from "./read-patient";

/** The data that a record is checked against. */
export interface CheckContext {
  /** `YYYY-MM-DD`: the day that the checks use as today. */
  asOf: string;
  companies: KnownCompanies;
  /** IDs that several current insurances of the input share. */
  reusedIds: ReadonlySet<string>;
  /** Returns whether an earlier record of the input is about the same person. */
  isKnownPerson: (patient: RawRecord) => boolean;
  /** Returns why a card image can't be decoded as PNG or JPEG, or null. */
  imageProblem: (image: RawRecord) => Promise<string | null>;
}

/** The data that a record is examined with, beyond the specified checks. */
export interface ExamineContext extends CheckContext {
  now: Date;
  /** Maps the payer IDs of the export to the practice's; null if the record is the practice's own. */
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
 * Runs the specified checks, and reports everything else that prevents the conversion. `crosswalk check` and runs both use it,
 * so they can't disagree (ADR 0150). If a record can't be read, at least one of its findings is an error.
 *
 * @param record as staged: its card images have a `problem`, a `sha256` or both
 */
export async function examineRecord(record: RawRecord, line: number, context: ExamineContext): Promise<Examined> {
  const findings = [...rejectedRows(record, line, context), ...(await checkPatient(record, line, context))];
  const reported = findings.filter(({ severity }) => severity === "error");
  const { patient, faults } = readPatient(record, context);
  findings.push(...reportFaults(record, faults, { reported, line }));
  findings.push(...neighborFindings(record, line, context));
  if (patient && context.directory) findings.push(...companyFindings(record, line, context.directory));
  if (patient === null && !findings.some(({ severity }) => severity === "error")) {
    findings.push(toFinding(record, line, "record_invalid", { message: "The record can't be read." }));
  }
  return { findings, patient };
}

/** Reports rejected rows as errors, because their content is unknown. */
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

/** Reports IDs that an earlier record has. Another check reports those that are current on both. */
function neighborFindings(record: RawRecord, line: number, context: ExamineContext): Finding[] {
  const { repeats, reusedIds, isOnEarlierRecord } = context;
  const findings: Finding[] = [];
  if (repeats !== null) {
    const message = `Line ${repeats} has the same patient ID.`;
    findings.push(toFinding(record, line, "patient_id_repeated", { field: "id", found: idOf(record), message }));
  }
  for (const list of LISTS) {
    for (const [position, insurance] of recordsOf(record[list]).entries()) {
      const id = recordKey(insurance);
      // Invalid ids have a separate check.
      if (id === "" || Number(id) <= 0) continue;
      if ((list === "insurances" && reusedIds.has(id)) || !isOnEarlierRecord(id)) continue;
      const about = { list, position, insurance: idOf(insurance), field: "id", found: idOf(insurance) };
      const message = `An insurance of an earlier record also has the ID ${id}.`;
      findings.push(toFinding(record, line, "insurance_id_repeated", { ...about, message }));
    }
  }
  return findings;
}

/** Reports payer IDs that match no payer, or several. */
function companyFindings(record: RawRecord, line: number, directory: CompanyDirectory): Finding[] {
  return LISTS.flatMap((list) =>
    recordsOf(record[list]).flatMap((insurance, position): Finding[] => {
      const company = Number(insurance.insurance_company ?? 0);
      if (company === 0) return [];
      const names = directory.ambiguous.get(company);
      if (!names && directory.has(company)) return [];
      const about = { list, position, insurance: idOf(insurance), field: "insurance_company", found: company };
      const message = names
        ? `The payer list has several names for payer ID ${company}: ${names.join(" and ")}.`
        : `Neither the export nor the practice has a payer with the ID ${company}.`;
      return [toFinding(record, line, names ? "company_id_ambiguous" : "company_unknown", { ...about, message })];
    }),
  );
}

/** Reports a finding. */
type Report = (code: CheckCode, about: { field?: string; found?: unknown; message: string; fix?: Fix | null }) => void;

/**
 * Runs the specified checks on a patient, the current insurances and the cards.
 *
 * @param line the line of the record in the file
 */
async function checkPatient(patient: RawRecord, line: number, context: CheckContext): Promise<Finding[]> {
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
  if (field) report("patient_identity_missing", { field, message: missingText(missing) });
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
    const message = "Date of birth is not a valid date.";
    report("patient_dob_invalid", { field: "dob", found: dob, message, fix: isBorn ? fix : null });
  } else if (dob > asOf) {
    report("patient_dob_invalid", { field: "dob", found: dob, message: `Date of birth is after ${dayWords(asOf)}.` });
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
    report("card_orphan", {
      field,
      found,
      message: `${cardName(rank)}: the patient has no current insurance of this rank.`,
    });
  }
  for (const [rank, { found, problem }] of unreadable) {
    report("card_unreadable", { field, found, message: `${cardName(rank)}: ${problem}` });
  }
}

interface Surroundings {
  /** The patient's current insurances before this one. */
  earlier: readonly RawRecord[];
  /** The patient's current insurances after this one. */
  later: readonly RawRecord[];
  context: CheckContext;
}

/** Says which fields are missing. */
const missingText = (fields: readonly string[]) =>
  `${fieldSubject(fields)} ${fields.length > 1 ? "are" : "is"} missing.`;

/** Names a card by its rank: `Primary card`. */
function cardName(rank: string): string {
  const word = RANK_WORDS[Number(rank) - 1];
  return word ? fieldName(`${word}_card`) : `Card of rank ${rank}`;
}

const rankOf = ({ rank }: RawRecord) => textOf(rank).toLowerCase();

/** Checks one current insurance. Reports each code once, even for several fields. */
function checkInsurance(insurance: RawRecord, surroundings: Surroundings, report: Report): void {
  const { context } = surroundings;
  checkRank(insurance, surroundings, report);
  if (isBlank(insurance.member_id))
    report("member_id_missing", { field: "member_id", message: "Member ID is missing." });
  checkCarrier(insurance, context, report);
  checkDates(insurance, context, report);
  checkAmounts(insurance, report);
  checkLengths(insurance, report);
  checkRelationship(insurance, report);
  const id = idOf(insurance);
  if (id !== null && context.reusedIds.has(textOf(id))) {
    report("insurance_id_reused", {
      field: "id",
      found: id,
      message: `Another current insurance also has the ID ${id}.`,
    });
  }
}

function checkRank(insurance: RawRecord, { earlier, later }: Surroundings, report: Report): void {
  const rank = rankOf(insurance);
  const [field, found] = ["rank", insurance.rank];
  if (rank === "") {
    report("rank_missing", { field, message: "Rank is missing." });
    return;
  }
  if (!RANK_WORDS.some((word) => word === rank)) {
    const fix = fixRank(rank, [...earlier, ...later].map(rankOf));
    report("rank_unknown", { field, found, message: "Rank must be primary, secondary or tertiary.", fix });
  }
  if (earlier.some((other) => rankOf(other) === rank)) {
    report("rank_duplicate", { field, found, message: `Another current insurance of the patient is also ${rank}.` });
  }
}

function checkCarrier({ carrier, insurance_company }: RawRecord, { companies }: CheckContext, report: Report): void {
  if (!isBlank(insurance_company)) return;
  const name = textOf(carrier).toLowerCase();
  if (name === "") {
    report("carrier_missing", { field: "carrier", message: "Payer name and payer ID are missing." });
  } else if (!companies.has(name)) {
    const fix = fixCarrier(name, companies);
    const message = "The practice has no payer with this name, and the payer ID is blank.";
    report("carrier_unmatched", { field: "carrier", found: carrier, message, fix });
  }
}

function checkDates(insurance: RawRecord, { asOf }: CheckContext, report: Report): void {
  const { start_date: start, end_date: end } = insurance;
  const invalid = ["start_date", "end_date"].filter(
    (field) => !isBlank(insurance[field]) && !isCalendarDate(insurance[field]),
  );
  const [field] = invalid;
  if (field) {
    const message =
      invalid.length > 1 ? `${fieldSubject(invalid)} are not valid dates.` : `${fieldName(field)} is not a valid date.`;
    report("date_invalid", { field, found: insurance[field], message, fix: fixDate(insurance, invalid) });
    return;
  }
  if (!isCalendarDate(end)) return;
  if (isCalendarDate(start) && end < start) {
    report("date_order", {
      field: "end_date",
      found: end,
      message: `Termination date is before the effective date, ${dayWords(start)}.`,
    });
  } else if (end < asOf)
    report("expired", { field: "end_date", found: end, message: `Termination date is before ${dayWords(asOf)}.` });
}

/** Returns whether the conversion accepts an amount: blank or decimal text. */
function isAmount(value: unknown): boolean {
  return isBlank(value) || (typeof value === "string" && AMOUNT.test(value));
}

function checkAmounts(insurance: RawRecord, report: Report): void {
  const invalid = ["copay", "deductible"].filter((field) => !isAmount(insurance[field]));
  const [field] = invalid;
  if (!field) return;
  const message = `${fieldSubject(invalid)} must be text with at most 8 digits before the decimal point and 2 after it.`;
  report("decimal_invalid", { field, found: insurance[field], message, fix: fixAmount(insurance, invalid) });
}

const LIMITS = Object.entries(TEXT_LIMITS);

function checkLengths(insurance: RawRecord, report: Report): void {
  const long = LIMITS.filter(([field, limit]) => {
    const value = insurance[field];
    return typeof value === "string" && countCharacters(value) > limit;
  });
  const [first] = long;
  if (!first) return;
  const [field] = first;
  const message = long.map(([name, limit]) => `${fieldName(name)} is longer than ${limit} characters.`).join(" ");
  report("field_too_long", { field, found: insurance[field], message, fix: fixText(insurance, long) });
}

function checkRelationship(insurance: RawRecord, report: Report): void {
  const { relationship_to_insured: relationship } = insurance;
  if (isBlank(relationship)) return;
  if (!RELATIONSHIPS.some((known) => known === relationship)) {
    const message = "Relationship to subscriber must be Child, Other or Spouse.";
    const fix = fixRelationship(textOf(relationship));
    report("relationship_unknown", { field: "relationship_to_insured", found: relationship, message, fix });
    return;
  }
  const missing = ["insured_person_first_name", "insured_person_last_name"].filter((field) =>
    isBlank(insurance[field]),
  );
  const [field] = missing;
  if (field) report("insured_person_missing", { field, message: missingText(missing) });
}
