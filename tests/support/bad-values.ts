// Values that a field must reject, derived from its JSON schema.
import { z } from "zod";

/** How the validator's own messages begin; clients must never see them. */
export const VALIDATOR_MESSAGES =
  /"(Invalid (?!password|pk \\"-?\d+\\" - object does not exist\.)|Too (big|small): |Unrecognized |Expected |No matching )/;

/** The place of a field in a body: names and list positions. */
type Path = readonly (string | number)[];
export interface BadValue {
  /** Shown in the test's message. */
  what: string;
  path: Path;
  /** JSON text, because some of it (1e400, an unpaired surrogate) is not a JavaScript value. */
  json: string;
  /** Whether it is rejected before the fields are checked, so that its error hides theirs. */
  alone: boolean;
}

interface Node {
  type?: string | string[];
  anyOf?: Node[];
  pattern?: string;
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  maxLength?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  additionalProperties?: Node | boolean;
}

/** Returns the JSON schema of what a client may send. */
export function inputSchema(schema: z.ZodType): Node {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as Node;
}

/** Lists every field of a body, including nested ones down to `depth`; the first entry stands for a list. */
export function fieldsOf(node: Node, depth = 3, path: Path = []): { path: Path; node: Node }[] {
  const own = path.length > 0 ? [{ path, node }] : [];
  if (depth === 0) return own;
  const branches = [node, ...(node.anyOf ?? [])];
  const below = branches.flatMap(({ properties, items }) => [
    ...Object.entries(properties ?? {}).flatMap(([name, child]) => fieldsOf(child, depth - 1, [...path, name])),
    ...(items ? fieldsOf(items, depth - 1, [...path, 0]) : []),
  ]);
  return [...own, ...below];
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const UNSTORABLE: [string, string][] = [
  ["NUL", '"a\\u0000b"'],
  ["half a surrogate pair", '"\\ud800x"'],
  ["a number out of range", "1e400"],
  ["40 levels", nested(40)],
  ["a key with NUL", '{"a\\u0000":1}'],
];
/** Large values, which are slow to read: one of each per body is enough. */
const HUGE: [string, string][] = [
  ["a megabyte of text", JSON.stringify("é".repeat(500_000))],
  ["10,001 entries", `[${Array(10_001).fill("1").join()}]`],
];
const OF_TYPE: [type: string, what: string, json: string][] = [
  ["string", "a string", '"text"'],
  ["integer", "an integer", "5"],
  ["boolean", "a boolean", "true"],
  ["array", "a list", "[]"],
  ["array", "a list of lists", "[[],[1]]"],
  ["object", "an object", '{"a":1}'],
  ["object", "an object with the names of Object.prototype", '{"__proto__":{"a":1},"constructor":"x","toString":1}'],
  ["null", "null", "null"],
];

/**
 * Lists values that the field at `path` must reject in any body. Values that every field rejects
 * alike are included only on request.
 */
export function badValues(
  { path, node }: { path: Path; node: Node },
  asked: { anywhere: boolean; huge: boolean },
): BadValue[] {
  const branches = node.anyOf ?? [node];
  const unknown = branches.some(({ type, enum: values, const: value }) => !type && !values && value === undefined);
  const types = new Set(branches.flatMap(typesOf));
  const wrong: [string, string][] = unknown
    ? []
    : OF_TYPE.filter(([type]) => !types.has(type) && !(type === "integer" && types.has("number"))).map(
        ([, what, json]) => [what, json],
      );
  if (!unknown) for (const branch of branches) wrong.push(...outside(branch));
  const isInteger = types.has("integer");
  if (!unknown && (isInteger || types.has("number"))) {
    wrong.push(["a number as text", '"1"']);
    if (isInteger) wrong.push(["beyond 2^53", "9007199254740993"], ["an exponent", "1e300"]);
    if (isInteger && !types.has("number")) wrong.push(["a fraction", "1.5"]);
    // Integers may be negative only if the schema says so.
    const isNegative = branches.some(({ minimum = isInteger ? 0 : -1 }) => minimum < 0);
    if (!isNegative) wrong.push(["a negative one", "-1"]);
  }
  const anywhere = [
    ...(asked.anywhere ? UNSTORABLE : []),
    ...(asked.huge ? HUGE.filter(([what]) => !what.includes("text") || !unknown) : []),
  ];
  const named = (values: [string, string][], alone: boolean) =>
    values.map(([what, json]) => ({ what, path, json, alone: alone || nameOf({ path }) === undefined }));
  return [...named(wrong, false), ...named(anywhere, true)];
}

function typesOf({ type, enum: values, const: value }: Node): string[] {
  if (type) return [type].flat();
  const kinds = (values ?? [value]).map((one) =>
    one === null ? "null" : typeof one === "number" ? "integer" : typeof one,
  );
  return [...new Set(kinds)];
}

/** The longest text of emoji to send. Longer ones exercise the same code and only take time. */
const LONG = 10_000;

/** Lists values of the right type that exceed the limits. */
function outside({ type, pattern, maxLength, enum: values, const: value, format, maxItems }: Node): [string, string][] {
  const found: [string, string][] = [];
  if (maxLength !== undefined) {
    found.push(["one character too many", JSON.stringify("x".repeat(maxLength + 1))]);
    if (maxLength <= LONG) found.push(["one emoji too many", JSON.stringify("💊".repeat(maxLength + 1))]);
  }
  // A decimal has a digit.
  if (pattern?.includes("\\d{1,")) {
    found.push(...["-", ".", "-."].map((sign): [string, string] => [`the amount ${sign}`, JSON.stringify(sign)]));
  }
  if (values?.every((one) => typeof one === "string")) {
    found.push(
      ["none of the values", '"no such value"'],
      ...(values.includes("") ? [] : [["an empty text", '""'] satisfies [string, string]]),
      ["a name of Object.prototype", '"constructor"'],
    );
    if (typeof values[0] === "string") found.push(["upper case", JSON.stringify(`${values[0].toUpperCase()} `)]);
  }
  if (values?.every((one) => typeof one === "number") || typeof value === "number")
    found.push(["no such number", "77"]);
  if (format === "date") {
    const dates = [
      "0000-01-01",
      "2023-02-30",
      "2023-13-01",
      "2023-1-1",
      "20230101",
      "-2023-01-01",
      "12023-01-01",
      "today",
      "",
      "2023-01-01T00:00:00Z",
    ];
    found.push(...dates.map((date): [string, string] => [`the date ${date}`, JSON.stringify(date)]));
  }
  if (format === "email")
    found.push(
      ["not an address", '"nobody"'],
      ["a very long address", JSON.stringify(`${"a".repeat(300)}@example.org`)],
    );
  if (type === "array" && maxItems !== undefined)
    found.push([
      "too many entries",
      `[${Array(maxItems + 1)
        .fill("{}")
        .join()}]`,
    ]);
  return found;
}

const TEXTS = [
  "𝕏👩‍👩‍👧",
  "\u202eevil",
  "'; DROP TABLE patient; --",
  "{}",
  "%s%n",
  "\u0001\u001f\u007f",
  "ﷺ",
  "a\r\nb: c",
];

/** Lists values at the edge of what the field's type allows. The endpoint decides whether they are valid. */
export function extremeValues({ path, node }: { path: Path; node: Node }) {
  const branches = node.anyOf ?? [node];
  const values = branches.flatMap(({ type, maxLength, format }): unknown[] => {
    const types = [type].flat();
    if (format === "date") return ["0001-01-01", "9999-12-31", "2024-02-29"];
    if (types.includes("string")) {
      const longest = maxLength === undefined ? [] : ["x".repeat(maxLength), "💊".repeat(Math.min(maxLength, LONG))];
      return [...longest, ...TEXTS.filter((text) => text.length <= (maxLength ?? 99)), "-99999999.99", "1", "M"];
    }
    if (types.includes("integer")) return [0, 1, Number.MAX_SAFE_INTEGER, 2 ** 31, 2 ** 31 - 1];
    if (types.includes("array")) return [[], Array(50).fill({}), Array(1_000).fill(null)];
    if (types.includes("object")) return [{}];
    return [null];
  });
  return values.map((value) => ({
    what: String(JSON.stringify(value)).slice(0, 40),
    path,
    json: JSON.stringify(value),
    value,
  }));
}

/** Returns a valid value of a field, just enough to reach the fields below it. */
export function sampleOf(node: Node): unknown {
  const [branch = node] = (node.anyOf ?? []).filter(({ type }) => type !== "null");
  if (branch.const !== undefined) return branch.const;
  if (branch.enum) return branch.enum[0];
  if (branch.format === "date") return "2020-01-01";
  if (branch.format === "email") return "a@example.org";
  if (branch.type === "string") return "x";
  if (branch.type === "integer" || branch.type === "number") return 1;
  if (branch.type === "boolean") return true;
  if (branch.type === "array") return [];
  return {};
}

/** Sets a value at its path in a body, and creates what is missing along the path. */
function put(body: unknown, path: Path, value: unknown): void {
  let place = body as Record<string | number, unknown>;
  for (const [depth, key] of path.slice(0, -1).entries()) {
    const next = typeof path[depth + 1] === "number" ? [] : {};
    if (typeof place[key] !== "object" || place[key] === null) place[key] = next;
    place = place[key] as Record<string | number, unknown>;
  }
  place[path.at(-1) as string | number] = value;
}

/** Returns the JSON of a body with JSON texts at their paths; some are not JavaScript values (see {@link BadValue}). */
export function bodyWith(base: unknown, ...values: readonly Pick<BadValue, "path" | "json">[]): string {
  const root = structuredClone(base);
  const texts = new Map<string, string>();
  for (const { path, json } of values) {
    const mark = `\u0001${texts.size}\u0001`;
    texts.set(JSON.stringify(mark), json);
    put(root, path, mark);
  }
  return JSON.stringify(root).replace(/"\\u0001\d+\\u0001"/g, (mark) => texts.get(mark) as string);
}

/** Returns the JSON of a body with values at their paths, including those inside lists and objects. */
export function bodyWithValues(base: unknown, values: readonly { path: Path; value: unknown }[]): string {
  const root = structuredClone(base);
  for (const { path, value } of values) {
    // List entries may be the same object here, but must be separate objects in the body.
    put(root, path, typeof value === "object" ? JSON.parse(JSON.stringify(value)) : value);
  }
  return JSON.stringify(root);
}

/** Returns the field that errors are reported under: the first name in the path. */
export const nameOf = ({ path }: Pick<BadValue, "path">) => path.find((step) => typeof step === "string");

/** Returns whether a response names a field as a key of its errors, at any depth. */
export function names(body: unknown, field: string): boolean {
  if (Array.isArray(body)) return body.some((entry) => names(entry, field));
  if (typeof body !== "object" || body === null) return false;
  return Object.entries(body).some(([key, value]) => key === field || names(value, field));
}

/** Groups wrong values into bodies, with at most one for each name in a body. */
export function roundsOf(fields: readonly (readonly BadValue[])[]): BadValue[][] {
  const all = fields.flat();
  const rounds: BadValue[][] = [];
  const taken = new Map<string | undefined, number>();
  for (const bad of all.filter(({ alone }) => !alone)) {
    const round = taken.get(nameOf(bad)) ?? 0;
    taken.set(nameOf(bad), round + 1);
    rounds[round] = [...(rounds[round] ?? []), bad];
  }
  return [...rounds, ...all.filter(({ alone }) => alone).map((bad) => [bad])];
}
