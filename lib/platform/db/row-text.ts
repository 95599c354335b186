// Writes values as PostgreSQL prints them. Comparing texts takes a fraction of the time of reading rows and comparing their values. Different
// texts can have equal values, so only equal texts are conclusive.

interface KeyOrder {
  keys: readonly string[];
  /** The keys in the order of jsonb, and as JSON. */
  ordered: readonly { key: string; json: string }[];
}

/** Rows of a table all have the same keys, so the order of their keys is found once. */
const orders = new Map<string, KeyOrder>();
const MAX_ORDERS = 1_000;

/** Returns the keys of an object in the order of jsonb: those with the fewest bytes first. */
function jsonbKeys(object: object): KeyOrder["ordered"] {
  const keys = Object.keys(object);
  const name = keys.join();
  const known = orders.get(name);
  // A key can contain a comma.
  if (known?.keys.length === keys.length && known.keys.every((key, at) => key === keys[at])) return known.ordered;
  const ordered = keys
    .map((key) => ({ key, json: JSON.stringify(key), bytes: Buffer.from(key) }))
    .sort((a, b) => a.bytes.length - b.bytes.length || a.bytes.compare(b.bytes));
  if (orders.size < MAX_ORDERS) orders.set(name, { keys, ordered });
  return ordered;
}

/** Returns a value as the text of a jsonb column. PostgreSQL also reads it faster than other JSON, because its keys are in order. */
export function jsonbText(value: unknown): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(jsonbText).join(", ")}]`;
  let text = "";
  for (const { key, json } of jsonbKeys(value)) {
    const child: unknown = Reflect.get(value, key);
    if (child !== undefined) text += `${text && ", "}${json}: ${jsonbText(child)}`;
  }
  return `{${text}}`;
}

/** Returns a number as JSON, but without an exponent. */
function numberText(value: number): string {
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
  let text = "";
  for (const column of columns) text += `${text === "" ? "(" : ","}${fieldText(column, row[column])}`;
  return `${text})`;
}

function fieldText(column: string, value: unknown): string {
  if (typeof value !== "string") return value === null || value === undefined ? "" : String(value);
  if (value === "") return '""';
  if (value.length === 24 && TIMES.test(column)) {
    return `"${value.slice(0, 10)} ${value.slice(11, 23).replace(/\.?0+$/, "")}+00"`;
  }
  return QUOTED.test(value) ? `"${value.replace(/["\\]/g, "$&$&")}"` : value;
}
