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

/** Returns a value as trimmed text; empty if it is blank. Other types become JSON, which no rule accepts. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

/** Returns the records of a list. Other entries are omitted. */
export function recordsOf(value: unknown): RawRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** An id as given: a number, or text in exports of other systems. */
export type RecordId = number | string;

/** Returns the id of a record, or null. */
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
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
}
