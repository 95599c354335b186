import type { z } from "zod";
import { insuranceProblems } from "@/lib/insurance/fields/fields";
import { TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import { idOf, isBeyondCalendar, isBlank, isRecord, type RawRecord, valueAt } from "@/lib/migration/record/raw-record";
import {
  type LegacyInsurance,
  legacyInsurance,
  pastInsurance,
  type StagedPatient,
  stagedPatient,
} from "@/lib/migration/record/schema";
import { describePath, listUnstorable } from "@/lib/platform/files/parse-record";
import { validate } from "@/lib/platform/http/validation";
import { CONVERSION_CHECKS, type ConversionCheckCode, type Finding, type InsuranceList } from "./checks";
import { fieldName } from "./field-words";
import { fixFaults } from "./fixes";

export type FaultKind = "absent" | "type" | "value" | "long" | "list_long" | "other";

/** An error that keeps a record from being read as a patient. */
export interface Fault {
  /** Where in the record: `["insurances", 0, "rank"]`. */
  path: readonly (string | number)[];
  kind: FaultKind;
  message: string;
  /** The accepted values, if limited. */
  values?: readonly unknown[];
  /** The code to report, unless place and kind determine it. */
  code?: ConversionCheckCode;
}

/** The latest date of birth, and the latest time of a record. */
export interface Times {
  /** `YYYY-MM-DD` */
  asOf: string;
  now: Date;
}

const DAY_MS = 86_400_000;
const LISTS = ["insurances", "deleted_insurances"] as const satisfies readonly InsuranceList[];
const ENTRY = { insurances: legacyInsurance, deleted_insurances: pastInsurance } as const;
const frame = stagedPatient.omit({ insurances: true, deleted_insurances: true });
const MAX_ENTRIES = { insurances: 50, deleted_insurances: 10_000 } as const;

/**
 * Reads a record as a patient to convert. Returns a patient only if there are no faults. Checks report the faults and
 * the conversion writes the patient, so the two always agree.
 */
export function readPatient(record: RawRecord, times: Times): { patient: StagedPatient | null; faults: Fault[] } {
  const faults: Fault[] = [];
  const base = readPart(frame, record, [], faults);
  const lists: Record<InsuranceList, ReadEntry[]> = { insurances: [], deleted_insurances: [] };
  for (const list of LISTS) lists[list] = readList(record[list], list, faults);
  if (base) faults.push(...patientFaults(base, times));
  faults.push(...idFaults(lists), ...rankFaults(lists.insurances));
  // Allows a day for differing clocks.
  const latest = new Date(times.now.getTime() + DAY_MS).toISOString();
  for (const list of LISTS) {
    for (const read of lists[list]) faults.push(...insuranceFaults(read, list, latest));
  }
  if (!base || faults.length > 0) return { patient: null, faults };
  const entries = (list: InsuranceList) => lists[list].map(({ entry }) => entry);
  const patient = { insurances: entries("insurances"), deleted_insurances: entries("deleted_insurances"), ...base };
  return { patient, faults };
}

/** An insurance that could be read, with its position and its original. */
interface ReadEntry {
  entry: LegacyInsurance;
  at: number;
  raw: RawRecord;
}

function readPart<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: Fault["path"],
  faults: Fault[],
): z.output<S> | null {
  const parsed = validate(schema, value);
  if (!parsed.success) {
    faults.push(...parsed.error.issues.map((issue) => toFault(issue, path)));
    return null;
  }
  const unstorable = [...listUnstorable(parsed.data)].map(
    ({ path: at, message }): Fault => ({ path: [...path, ...at], kind: "other", message, code: "text_unstorable" }),
  );
  faults.push(...unstorable);
  return unstorable.length > 0 ? null : parsed.data;
}

function readList(value: unknown, list: InsuranceList, faults: Fault[]): ReadEntry[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) {
    faults.push({ path: [list], kind: "type", message: "Must be a list." });
    return [];
  }
  if (value.length > MAX_ENTRIES[list]) {
    faults.push({ path: [list], kind: "list_long", message: `Must have at most ${MAX_ENTRIES[list]} entries.` });
  }
  return value.flatMap((raw, at): ReadEntry[] => {
    const entry = readPart(ENTRY[list], raw, [list, at], faults);
    return entry ? [{ entry, at, raw }] : [];
  });
}

function toFault(issue: z.core.$ZodIssue, before: Fault["path"]): Fault {
  const path = [...before, ...issue.path.map((key) => (typeof key === "number" ? key : String(key)))];
  const { input } = issue;
  const isAbsent = input === undefined || input === null;
  const absence = input === undefined ? "This field is required." : "This field may not be null.";
  const about = { path, message: isAbsent ? absence : issue.message };
  if (isAbsent) return { ...about, kind: "absent", ...valuesOf(issue) };
  if (issue.code === "invalid_type") return { ...about, kind: "type" };
  if (issue.code === "invalid_value") return { ...about, kind: "value", ...valuesOf(issue) };
  if (issue.code === "too_big")
    return { ...about, kind: issue.origin === "string" ? "long" : issue.origin === "array" ? "list_long" : "other" };
  return { ...about, kind: "other" };
}

const valuesOf = (issue: z.core.$ZodIssue) => (issue.code === "invalid_value" ? { values: issue.values } : {});

/** Checks across the fields of a patient. */
function patientFaults(base: z.output<typeof frame>, { asOf }: Times): Fault[] {
  const faults: Fault[] = [];
  if (base.dob > asOf) faults.push({ path: ["dob"], kind: "other", message: "Is in the future." });
  const seen = new Set<string>();
  for (const [card, { rank, images }] of base.insurance_cards.entries()) {
    for (const { side } of images) {
      const place = `${rank} ${side}`;
      if (seen.has(place)) {
        const message = `Has two images of rank ${rank}, side ${side}.`;
        faults.push({ path: ["insurance_cards", card], kind: "other", message });
      }
      seen.add(place);
    }
  }
  return faults;
}

/** Reports IDs that several insurances of a patient share. Prefers past ones, which staff can skip. */
function idFaults({ insurances, deleted_insurances: past }: Record<InsuranceList, ReadEntry[]>): Fault[] {
  const seen = new Set(insurances.map(({ entry }) => entry.id));
  const twice = insurances.filter(
    ({ entry }, index) => insurances.findIndex((one) => one.entry.id === entry.id) < index,
  );
  const fault = (list: InsuranceList, { entry, at }: ReadEntry): Fault => ({
    path: [list, at, "id"],
    kind: "other",
    message: `Another insurance of the patient has the ID ${entry.id}.`,
    code: "insurance_id_twice",
  });
  const repeated = past.filter(({ entry }) => seen.size === seen.add(entry.id).size);
  return [
    ...twice.map((read) => fault("insurances", read)),
    ...repeated.map((read) => fault("deleted_insurances", read)),
  ];
}

function rankFaults(current: readonly ReadEntry[]): Fault[] {
  const ranks = current.map(({ entry }) => entry.rank);
  return current
    .filter(({ entry }, index) => ranks.indexOf(entry.rank) < index)
    .map(({ at }) => ({
      path: ["insurances", at, "rank"],
      kind: "other",
      message: "Another current insurance has this rank.",
    }));
}

/** Checks across the fields of an insurance. */
function insuranceFaults({ entry, at, raw }: ReadEntry, list: InsuranceList, latest: string): Fault[] {
  const fault = (field: string, message: string, code?: ConversionCheckCode): Fault => ({
    path: [list, at, field],
    kind: "other",
    message,
    ...(code ? { code } : {}),
  });
  const problems = Object.entries(insuranceProblems(entry) ?? {});
  const faults = problems.map(([field, messages]) => fault(field, [messages].flat().join(" "), "past_date_order"));
  const late = (["created_date", "deleted_date"] as const).filter((field) => (entry[field] ?? "") > latest);
  faults.push(...late.map((field) => fault(field, "Is in the future.", "time_in_future")));
  const { created_date: created, deleted_date: deleted, end_date: end } = entry;
  if (list === "insurances") {
    if (isBlank(entry.carrier) && !entry.insurance_company) {
      faults.push(fault("carrier", "Is missing, and the payer ID is blank."));
    }
    if (deleted) faults.push(fault("deleted_date", "Must be blank for a current insurance.", "current_deleted"));
    return faults;
  }
  const isUnknownEnd = isBeyondCalendar(raw.deleted_date) || isBeyondCalendar(raw.end_date);
  if (!deleted && !end && !isUnknownEnd) {
    faults.push(fault("deleted_date", "Is missing, and so is the termination date.", "past_end_missing"));
  }
  if (created && deleted && deleted < created && !late.includes("created_date")) {
    faults.push(fault("deleted_date", "Must not be before the creation date.", "past_date_order"));
  }
  return faults;
}

/** Where a fault is: in an insurance or in the patient, and in which field. */
interface Place {
  list: InsuranceList | null;
  position: number | null;
  /** Path within the insurance or the patient. */
  path: readonly (string | number)[];
}

/** A fault and the code to report. */
export interface CodedFault {
  fault: Fault;
  place: Place;
  code: ConversionCheckCode;
}

/**
 * Returns findings for the faults of a record that no specified check reports, once per place and code. Every fault is
 * either covered by one of those errors or reported here.
 *
 * @param reported the findings of the specified checks
 */
export function reportFaults(
  record: RawRecord,
  faults: readonly Fault[],
  { reported, line }: { reported: readonly Finding[]; line: number },
): Finding[] {
  const groups = new Map<string, [CodedFault, ...CodedFault[]]>();
  for (const fault of faults) {
    const place = placeOf(fault);
    if (isCovered(fault, place, record, reported)) continue;
    const code = codeOf(fault, place);
    const key = `${place.list} ${place.position} ${code}`;
    const group = groups.get(key);
    if (group) group.push({ fault, place, code });
    else groups.set(key, [{ fault, place, code }]);
  }
  return [...groups.values()].map((group) => toFinding(record, group, line));
}

function placeOf({ path }: Fault): Place {
  const [list, position, ...rest] = path;
  const isOfInsurance = (list === "insurances" || list === "deleted_insurances") && typeof position === "number";
  return isOfInsurance ? { list, position, path: rest } : { list: null, position: null, path };
}

const TEXTS = Object.keys(TEXT_LIMITS);

/** The fields that each specified check reports on. */
const COVERS: Readonly<Record<string, readonly string[]>> = {
  rank_missing: ["rank"],
  rank_unknown: ["rank"],
  rank_duplicate: ["rank"],
  carrier_missing: ["carrier"],
  date_invalid: ["start_date", "end_date"],
  date_order: ["end_date"],
  decimal_invalid: ["copay", "deductible"],
  relationship_unknown: ["relationship_to_insured"],
  insurance_id_reused: ["id"],
};

function isCovered(
  fault: Fault,
  { list, position, path }: Place,
  record: RawRecord,
  reported: readonly Finding[],
): boolean {
  const [field] = path;
  const has = (...codes: string[]) =>
    reported.some(({ code, position: at }) => at === position && codes.includes(code));
  if (list === "deleted_insurances") return false;
  if (list === "insurances") {
    if (fault.kind === "long" && TEXTS.includes(String(field))) return has("field_too_long");
    if (fault.kind === "type" && TEXTS.includes(String(field))) return false;
    if (field === "id") return fault.code === "insurance_id_twice" && has("insurance_id_reused");
    return reported.some(({ code, position: at }) => at === position && COVERS[code]?.includes(String(field)));
  }
  if (field === "dob") return has("patient_dob_invalid") || (isBlank(record.dob) && has("patient_identity_missing"));
  if (field === "first_name" || field === "last_name") return isBlank(record[field]) && has("patient_identity_missing");
  return field === "insurance_cards" && path.at(-1) === "sha256" && has("card_unreadable");
}

const ENUMS: Readonly<Record<string, ConversionCheckCode>> = {
  sex: "sex_unknown",
  payment_program: "payment_program_unknown",
};

const PAST: Readonly<Record<string, ConversionCheckCode>> = {
  rank: "past_rank_invalid",
  start_date: "past_date_invalid",
  end_date: "past_date_invalid",
  copay: "past_decimal_invalid",
  deductible: "past_decimal_invalid",
  relationship_to_insured: "past_relationship_unknown",
};

function codeOf({ kind, code }: Fault, { list, path }: Place): ConversionCheckCode {
  if (code) return code;
  const field = String(path[0] ?? "");
  if (kind === "list_long") return "list_too_long";
  if (field === "id") return list === null ? "patient_id_invalid" : "insurance_id_invalid";
  if (list === null) {
    if (field === "deleted_date") return "patient_deleted_there";
    if (field === "insurance_cards") return "card_invalid";
    if (field === "insurances" || field === "deleted_insurances") return "record_invalid";
  }
  const known = ENUMS[field] ?? (list === "deleted_insurances" ? PAST[field] : undefined);
  if (known) return known;
  if (field === "insurance_company") return "company_id_invalid";
  if (field === "created_date" || field === "deleted_date") return "time_invalid";
  if (kind === "type" && isTextPath(list, path)) return "text_expected";
  if (list === null) return kind === "long" ? "patient_field_too_long" : "patient_field_invalid";
  return kind === "long" ? "past_field_too_long" : "insurance_field_invalid";
}

/** Fields of a patient that aren't text. */
const NO_TEXT =
  /^(primary_physician|preferred_service_location|verified|vip|sms_opt_in_status|tags|phones|emails|metadata|data|address|previous_address|previous_name|emergency_contact|employer|guarantor|patient_status|preference)$/;

function isTextPath(list: InsuranceList | null, path: Place["path"]): boolean {
  const last = path.at(-1);
  return list === null ? typeof last === "string" && !NO_TEXT.test(last) : TEXTS.includes(String(path[0]));
}

function toFinding(record: RawRecord, group: readonly [CodedFault, ...CodedFault[]], line: number): Finding {
  const [{ place, code }] = group;
  const { list, position } = place;
  const owner = ownerOf(record, place);
  const fields = [...new Set(group.map((one) => describePath(one.place.path)))];
  const messages = group.map((one) => `${placeName(one.place.path)}: ${one.fault.message}`);
  const shown = [...new Set(messages)].slice(0, 5);
  const found = valueAt(owner, place.path);
  return {
    patient: idOf(record),
    insurance: list === null ? null : idOf(owner),
    list,
    position,
    code,
    severity: CONVERSION_CHECKS[code].severity,
    line,
    field: fields[0] || null,
    found: found ?? null,
    message: `${shown.join(" ")}${messages.length > shown.length ? ` And ${messages.length - shown.length} more.` : ""}`,
    fix: fixFaults(owner, group),
  };
}

/** Names a place in a record for staff: `Member ID`, or the path of a value in a list. */
function placeName(path: Place["path"]): string {
  const [field, ...below] = path;
  if (field === undefined) return "Record";
  return typeof field === "string" && below.length === 0 ? fieldName(field) : describePath(path);
}

function ownerOf(record: RawRecord, { list, position }: Place): RawRecord {
  const entries = list === null ? null : record[list];
  const owner = Array.isArray(entries) && position !== null ? entries[position] : list === null ? record : null;
  return isRecord(owner) ? owner : {};
}
