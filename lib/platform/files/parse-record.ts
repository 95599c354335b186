import type { z } from "zod";
import type { FieldErrors } from "@/lib/platform/errors";
import { toFieldErrors, validate } from "@/lib/platform/http/validation";

/** Parses a line with a schema. Returns the reason if the line is invalid. */
export function parseRecord<S extends z.ZodType>(
  line: { bytes: Uint8Array | null; maxBytes: number },
  schema: S,
): { record: z.output<S> } | { reason: string } {
  if (line.bytes === null) return { reason: `longer than ${Math.floor(line.maxBytes / 1024 ** 2)} MiB` };
  const json = parseJson(line.bytes);
  return typeof json === "string" ? { reason: json } : parseValue(json.value, schema);
}

/** Validates a value with a schema. Returns the reason if the value is invalid. */
export function parseValue<S extends z.ZodType>(
  value: unknown,
  schema: S,
): { record: z.output<S> } | { reason: string } {
  const parsed = validate(schema, value);
  if (!parsed.success) return { reason: describeProblems(toFieldErrors(parsed.error.issues)) };
  const unstorable = findUnstorable(parsed.data);
  return unstorable ? { reason: unstorable } : { record: parsed.data };
}

/** Parses a line as a JSON object. Returns the reason if the line is invalid. */
export function parseJson(bytes: Uint8Array): { value: unknown } | string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "is not UTF-8";
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : "is not a JSON object";
  } catch {
    return "is not JSON";
  }
}

const MAX_PROBLEMS = 5;

/** Formats the first five field errors on one line, such as `insurances[1].rank: Is blank.` */
export function describeProblems(fields: FieldErrors | FieldErrors[]): string {
  const problems = flatten(fields, "");
  const more = problems.length - MAX_PROBLEMS;
  return [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more problems`] : [])].join("; ");
}

function flatten(node: FieldErrors | FieldErrors[] | string[], path: string): string[] {
  if (Array.isArray(node)) {
    return node.flatMap((entry, at) =>
      typeof entry === "string" ? [path ? `${path}: ${entry}` : entry] : flatten(entry, `${path}[${at}]`),
    );
  }
  return Object.entries(node).flatMap(([key, child]) => flatten(child, path ? `${path}.${key}` : key));
}

/** Describes the first string that JSON allows but PostgreSQL can't store: one with NUL or an unpaired surrogate. */
export function findUnstorable(value: unknown): string | null {
  const [first] = listUnstorable(value);
  if (!first) return null;
  // A field name can itself contain such a character, and the message is stored too.
  const where = describePath(first.path).replaceAll("\u0000", "\uFFFD").toWellFormed();
  return `${where}: ${first.message}`;
}

type Path = readonly (string | number)[];

/** Yields the path of every string in a value that the database can't store. */
export function* listUnstorable(value: unknown): Generator<{ path: Path; message: string }> {
  if (!isStorable(value)) yield* walkStrings(value, []);
}

/** Returns whether the database can store a value. Nearly every value can be stored, so this builds no paths. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\u0000") && value.isWellFormed();
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.keys(value).every((key) => isStorable(key) && isStorable(Reflect.get(value, key)));
}

function* walkStrings(value: unknown, path: Path): Generator<{ path: Path; message: string }> {
  if (typeof value === "string") {
    if (value.includes("\u0000")) yield { path, message: "May not contain NUL." };
    else if (!value.isWellFormed()) yield { path, message: "Contains an unpaired surrogate." };
    return;
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return;
  for (const [key, child] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    yield* walkStrings(child, at);
    if (!Array.isArray(value)) yield* walkStrings(key, at);
  }
}

/** Formats a path, such as `insurances[0].rank`. */
export function describePath(path: Path): string {
  return path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? key : `${text}.${key}`),
    "",
  );
}
