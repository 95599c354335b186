// Writes values as PostgreSQL prints them. Comparing texts takes a fraction of the time of reading rows and comparing their values. Different
// texts can have equal values, so only equal texts are conclusive.

interface KeyOrder {
  keys: readonly string[];
  /** The keys in the order of jsonb, each with its text and the separator, and that with a null. */
  ordered: readonly { key: string; start: string; empty: string }[];
}

/** Rows of a table all have the same keys, so the order of their keys is found once. By the number of keys. */
const orders: KeyOrder[][] = [];
/** Bound the memory, because exports can contain any objects. */
const MAX_KEYS = 200;
const MAX_ORDERS = 1_000;
let orderCount = 0;

/** Returns the keys of an object in the order of jsonb: those with the fewest bytes first. */
function jsonbKeys(object: object): KeyOrder["ordered"] {
  const keys = Object.keys(object);
  const known = orders[keys.length] ?? [];
  const found = known.find((order) => order.keys.every((key, at) => key === keys[at]));
  if (found) return found.ordered;
  const ordered = keys
    .map((key) => ({ key, start: `${JSON.stringify(key)}: `, bytes: Buffer.from(key) }))
    .sort((a, b) => a.bytes.length - b.bytes.length || a.bytes.compare(b.bytes))
    .map(({ key, start }) => ({ key, start, empty: `${start}null` }));
  if (keys.length <= MAX_KEYS && orderCount < MAX_ORDERS) {
    orderCount++;
    orders[keys.length] = [...known, { keys, ordered }];
  }
  return ordered;
}

/** Returns a value as the text of a jsonb column. PostgreSQL also reads it faster than other JSON, because its keys are in order. */
export function jsonbText(value: unknown): string {
  if (typeof value === "string") return stringText(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(", ")}]`;
  const fields = jsonbKeys(value).map(({ key, start, empty }) => {
    const child: unknown = Reflect.get(value, key);
    return child === null ? empty : child === undefined ? undefined : start + jsonbText(child);
  });
  const present = fields.includes(undefined) ? fields.filter((field) => field !== undefined) : fields;
  // Joining makes one string. Each addition to a text would make an object, which garbage collection copies.
  return `{${present.join(", ")}}`;
}

/** Characters that JSON.stringify escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

const stringText = (value: string) => (ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`);

/** Returns a number as JSON, but without an exponent. */
function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  const text = JSON.stringify(value);
  const [, sign = "", whole = "", fraction = "", exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + fraction;
  const before = 1 + Number(exponent);
  return before > 0 ? `${sign}${digits.padEnd(before, "0")}` : `${sign}0.${"0".repeat(-before)}${digits}`;
}

const QUOTED = /[ \t\n\v\f\r"\\(),]/;
/** Columns of times, or of days. */
const TIMES = /_date$|^last_modified$/;

/** Returns the text of `ROW(…)` with these columns. Times are in the form of `toISOString`, and in UTC. */
export function recordText<R extends object>(row: R, columns: readonly (keyof R & string)[]): string {
  return `(${recordFields(row, columns)})`;
}

/** Returns a part of `recordText`. */
export function recordFields<R extends object>(row: R, columns: readonly (keyof R & string)[]): string {
  return columns.map((column) => fieldText(column, row[column])).join();
}

function fieldText(column: string, value: unknown): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  if (value === "") return '""';
  if (value.length === 24 && TIMES.test(column)) {
    return `"${value.slice(0, 10)} ${value.slice(11, 23).replace(/\.?0+$/, "")}+00"`;
  }
  return QUOTED.test(value) ? `"${value.replace(/["\\]/g, "$&$&")}"` : value;
}

/** What COPY escapes, and surrogates. */
const COPY_SPECIAL = /[\\\t\n\r\ud800-\udfff]/;
const COPY_ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Returns these columns of a row of COPY. */
export function copyFields<R extends object>(row: R, columns: readonly (keyof R & string)[]): string {
  return columns.map((column) => copyText(row[column])).join("\t");
}

/** Returns a value as the text of a column of COPY. */
export function copyText(value: unknown): string {
  if (typeof value !== "string") return value === null || value === undefined ? "\\N" : String(value);
  if (!COPY_SPECIAL.test(value)) return value;
  // UTF-8 has no lone surrogates. PostgreSQL rejects this byte instead.
  return value
    .replace(/[\\\t\n\r]/g, (special) => COPY_ESCAPES[special] ?? special)
    .replace(/\p{Surrogate}/gu, "\\xED");
}
