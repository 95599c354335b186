/** A patient, insurance or card as it was read: nothing is known of it yet. */
export type RawRecord = Readonly<Record<string, unknown>>;

/** Null, empty or only white space. */
export function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}

/** A value as text, without outer space; empty where it is blank. */
export function textOf(value: unknown): string {
  return value === null || value === undefined ? "" : String(value).trim();
}

/** The records of a list; what is no record is left out. */
export function recordsOf(value: unknown): RawRecord[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "object" && entry !== null) : [];
}

/** An id as JSON carries it; null where there is none. */
export function idOf({ id }: RawRecord): number | null {
  return typeof id === "number" && Number.isSafeInteger(id) ? id : null;
}

/** Whether a text is a calendar date `YYYY-MM-DD` that there is. */
export function isCalendarDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (!year || year === "0000") return false;
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${year}-${month}-${day}`);
}
