/** A patient, insurance or card as it was read: nothing is known of it yet. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Null, empty or only white space. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is RawRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as text, without outer space; empty where it is blank. What is no text is shown as JSON: no rule takes it for one. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** The records of a list; what is no record is left out. */
export function recordsOf(value: unknown): RawRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** An id as it stands: a number, or a text in exports of other systems. */
export type RecordId = number | string;

/** The id of a record; null where there is none. */
export function idOf({ id }: RawRecord): RecordId | null {
  if (typeof id === "string") return id.trim() === "" ? null : id;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

/** Whether a value is a text that is a calendar date `YYYY-MM-DD` that there is; outer space makes it none. */
export function isCalendarDate(value: unknown): value is string {
  const text = typeof value === "string" ? value : "";
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!year || year === "0000") return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
}
