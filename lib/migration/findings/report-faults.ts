import { PAYMENT_PROGRAMS, RELATIONSHIPS, TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import { DETAIL_DEFAULTS } from "@/lib/insurance/patients/schema";
import type { Finding, Fix, InsuranceList } from "@/lib/migration/findings/checks";
import { CONVERSION_CHECKS, type ConversionCheckCode } from "@/lib/migration/findings/conversion-checks";
import { fixRelationship, readAmount, readDate, readRank } from "@/lib/migration/findings/fixes";
import type { Fault } from "@/lib/migration/findings/read-patient";
import { idOf, isBlank, isRecord, type RawRecord, textOf } from "@/lib/migration/record/raw-record";
import { describePath } from "@/lib/platform/files/parse-record";

/** The place of a fault: an insurance or the patient, and the field. */
interface Place {
  list: InsuranceList | null;
  position: number | null;
  /** Path within the insurance or the patient. */
  path: readonly (string | number)[];
}

/** A fault and the code to report. */
interface Coded {
  fault: Fault;
  place: Place;
  code: ConversionCheckCode;
}

/**
 * The findings of what keeps a record from being read, beyond what the specified checks report already: once per place and
 * code. Every fault is either covered by one of those errors, or reported here.
 *
 * @param reported the findings of the specified checks
 */
export function reportFaults(
  record: RawRecord,
  faults: readonly Fault[],
  { reported, line }: { reported: readonly Finding[]; line: number },
): Finding[] {
  const groups = new Map<string, [Coded, ...Coded[]]>();
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

/** The fields that each specified error covers. */
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

function toFinding(record: RawRecord, group: readonly [Coded, ...Coded[]], line: number): Finding {
  const [{ place, code }] = group;
  const { list, position } = place;
  const owner = ownerOf(record, place);
  const fields = [...new Set(group.map((one) => describePath(one.place.path)))];
  const messages = group.map((one) => `${describePath(one.place.path) || "record"}: ${one.fault.message}`);
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
    fix: fixOf(owner, group),
  };
}

function ownerOf(record: RawRecord, { list, position }: Place): RawRecord {
  const entries = list === null ? null : record[list];
  const owner = Array.isArray(entries) && position !== null ? entries[position] : list === null ? record : null;
  return isRecord(owner) ? owner : {};
}

function valueAt(value: unknown, path: Place["path"]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === "object" && node !== null ? Reflect.get(node, key) : undefined),
    value,
  );
}

/** Proposes a fix for all fields of a finding; null if one of them has none. */
function fixOf(owner: RawRecord, group: readonly Coded[]): Fix | null {
  const values: Record<string, unknown> = {};
  const reasons = new Set<string>();
  for (const { fault, place, code } of group) {
    const [top, ...below] = place.path;
    const mended = mend({ fault, place, code }, valueAt(owner, place.path), owner);
    if (!mended || typeof top !== "string") return null;
    values[top] = withValue(top in values ? values[top] : owner[top], below, mended.value);
    reasons.add(mended.why);
  }
  return { values, why: [...reasons].join(" ") };
}

/** Replaces the value at the end of a path. */
function withValue(node: unknown, [key, ...below]: Place["path"], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(node)) return node.map((entry, at) => (at === key ? withValue(entry, below, value) : entry));
  const fields = isRecord(node) ? node : {};
  return { ...fields, [key]: withValue(fields[key], below, value) };
}

type Mended = { value: unknown; why: string } | null;

const DEFAULTS: Readonly<Record<string, unknown>> = { ...DETAIL_DEFAULTS, middle_name: "" };

/** Returns the only likely value; null if there are several, or none. */
function mend({ fault, place, code }: Coded, value: unknown, owner: RawRecord): Mended {
  const field = String(place.path.at(-1) ?? "");
  const text = textOf(value);
  switch (code) {
    case "text_expected":
      return mendNumber(field, value);
    case "text_unstorable": {
      if (typeof value !== "string" || !value.isWellFormed()) return null;
      return { value: value.replaceAll("\u0000", ""), why: "The same text without NUL characters." };
    }
    case "sex_unknown":
      return mendSex(text);
    case "payment_program_unknown":
      return mendWord(text, PAYMENT_PROGRAMS);
    case "patient_id_invalid":
    case "insurance_id_invalid":
      return mendId(value);
    case "company_id_invalid":
      if ((text === "0" || text === "") && !isBlank(owner.carrier)) {
        return { value: null, why: "No company has this id; the carrier's name stays." };
      }
      return mendId(value);
    case "past_rank_invalid": {
      const rank = readRank(text.toLowerCase());
      return rank ? { value: rank, why: `“${text}” is another spelling of ${rank}.` } : null;
    }
    case "past_date_invalid": {
      const date = readDate(text);
      return date ? { value: date, why: "The same day, written as YYYY-MM-DD." } : null;
    }
    case "past_decimal_invalid": {
      const amount = readAmount(text);
      return amount ? { value: amount, why: "The same amount, written as a plain decimal." } : null;
    }
    case "past_relationship_unknown": {
      const fix = fixRelationship(text) ?? mendedWord(text);
      return fix && { value: fix.values.relationship_to_insured, why: fix.why };
    }
    case "patient_field_invalid":
      if (fault.kind === "absent" && place.path.length === 1 && field in DEFAULTS) {
        return { value: DEFAULTS[field], why: "What the field holds where nothing is recorded." };
      }
      return fault.values ? mendWord(text, fault.values) : null;
    case "insurance_field_invalid":
      return field === "insurance_plan"
        ? { value: null, why: "The conversion keeps the plan's name, not its id." }
        : null;
    default:
      return null;
  }
}

const mendedWord = (text: string) => {
  const word = mendWord(text, RELATIONSHIPS);
  return word && { values: { relationship_to_insured: word.value }, why: word.why };
};

function mendNumber(field: string, value: unknown): Mended {
  if (typeof value !== "number" || !Number.isFinite(value)) return null;
  // A number with this many digits has lost precision.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return null;
  const text = String(value);
  if (/(^|_)zip$/.test(field) && /^\d{3,4}$/.test(text)) {
    return { value: text.padStart(5, "0"), why: "The same ZIP code as text, with the zeros that a number loses." };
  }
  return /e/i.test(text) ? null : { value: text, why: "The same value, written as text." };
}

function mendSex(text: string): Mended {
  const words: Record<string, string> = { f: "Female", w: "Female", woman: "Female", m: "Male", man: "Male" };
  const others: Record<string, string> = { o: "Other", u: "Unknown", unk: "Unknown", "": "Unknown" };
  const known = ["Female", "Male", "Other", "Unknown"].find((sex) => sex.toLowerCase() === text.toLowerCase());
  const value = known ?? words[text.toLowerCase()] ?? others[text.toLowerCase()];
  if (!value) return null;
  return { value, why: text === "" ? "Unknown is what is recorded where nothing is known." : `Written as ${value}.` };
}

function mendWord(text: string, words: readonly unknown[]): Mended {
  const bare = (word: unknown) =>
    String(word)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, "");
  const near = words.filter((word) => bare(word) === bare(text));
  return text !== "" && near.length === 1 ? { value: near[0], why: `Written as ${near[0]}.` } : null;
}

/** Converts an id written as text, unless a number can't hold its digits. */
function mendId(value: unknown): Mended {
  const text = typeof value === "string" ? value.trim() : "";
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) && id > 0 ? { value: id, why: "The same id, written as a number." } : null;
}
