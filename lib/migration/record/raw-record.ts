import { createHash, hash } from "node:crypto";
import { jsonbText } from "@/lib/platform/db/row-text";

/** A patient, insurance or card as read, not validated yet. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Returns whether a value is null, empty or only white space. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}

/** Returns whether a value is an object with fields. */
export function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as trimmed text; empty if it is blank. Other types become JSON, which every check rejects. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** Returns the records of a list. Other entries are omitted. */
export function recordsOf(value: unknown): RawRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns the value at a path below a value; undefined if it has none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === "object" && node !== null ? Reflect.get(node, key) : undefined),
    value,
  );
}

/** An ID as given: a number, or text in exports of other systems. */
export type RecordId = number | string;

/** Returns the ID of a record, or null. */
export function idOf({ id }: RawRecord): RecordId | null {
  if (typeof id === "string") return id.trim() === "" ? null : id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

/** Returns whether a value is a valid calendar date `YYYY-MM-DD`, without outer space. */
export function isCalendarDate(value: unknown): value is string {
  const text = typeof value === "string" ? value : "";
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!year || year === "0000") return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  // A day that the month doesn't have becomes one of the next month.
  return date.getUTCDate() === Number(day);
}

/**
 * Returns whether a time is beyond the calendar. Some systems write their latest time (`292278994-08-17`) if the end of a
 * past insurance is unknown.
 */
export function isBeyondCalendar(value: unknown): boolean {
  return typeof value === "string" && /^\+?\d{5,}-/.test(value.trim());
}

/** Why a row of a patient was rejected, in an export that is a table. */
export interface RowFault {
  line: number;
  reason: string;
}

/** Returns a staged record exactly as it was read; null if it couldn't be. */
export function stagedRaw({ raw, exact }: { raw: RawRecord | null; exact: string | null }): RawRecord | null {
  return exact === null ? raw : JSON.parse(exact);
}

const KEY_LENGTH = 200;

/** Returns the ID of a record as the database indexes it: text of limited length, empty without an ID. */
export function recordKey(record: RawRecord): string {
  const id = replaceUnstorable(textOf(idOf(record)));
  return id.length <= KEY_LENGTH ? id : createHash("sha256").update(id).digest("hex");
}

/** Returns a hash that all records of a person share; null if the identity is incomplete. */
export function personHash({ caregiver_practice, first_name, last_name, dob, sex }: RawRecord): string | null {
  if ([first_name, last_name, dob].some(isBlank)) return null;
  const names = [first_name, last_name].map((name) => textOf(name).toLowerCase());
  return createHash("sha256")
    .update(JSON.stringify([caregiver_practice, ...names, dob, sex]))
    .digest("hex");
}

/** Replaces the characters of a value that PostgreSQL rejects: NUL and lone surrogates. */
export function storable<T>(value: T): T;
export function storable(value: unknown): unknown {
  return mapValues(value, (leaf) => (typeof leaf === "string" ? replaceUnstorable(leaf) : leaf), replaceUnstorable);
}

function mapValues(value: unknown, change: (leaf: unknown) => unknown, changeKey = (key: string) => key): unknown {
  if (Array.isArray(value)) return value.map((entry) => mapValues(entry, change, changeKey));
  return isRecord(value) ? mapFields(value, change, changeKey) : change(value);
}

/** Returns a record with all values at any depth changed, and keys as well with `changeKey`. */
export function mapFields(
  record: RawRecord,
  change: (leaf: unknown) => unknown,
  changeKey = (key: string) => key,
): RawRecord {
  return Object.fromEntries(
    Object.entries(record).map(([key, child]) => [changeKey(key), mapValues(child, change, changeKey)]),
  );
}

const replaceUnstorable = (text: string) =>
  text.includes("\u0000") || !text.isWellFormed() ? text.replaceAll("\u0000", "\uFFFD").toWellFormed() : text;

/** Returns a hash of a record, regardless of the order of its fields. */
export function fingerprintOf(record: object): string {
  return hash("sha256", jsonbText(record));
}
