import { createHash } from "node:crypto";
import type { z } from "zod";
import type { FieldErrors } from "@/lib/errors";
import { check, toFieldErrors } from "@/lib/http/validation";
import { type InsuranceFields, pickInsurance } from "@/lib/insurance/fields";
import { insuranceProblems } from "@/lib/insurance/rules";
import { type LegacyInsurance, type LegacyPatient, legacyPatient } from "../schema/import";

/** A line that was read: a patient with the hash of what was read, or why it is refused. */
export type ParsedLine = { patient: LegacyPatient; fingerprint: string } | { reason: string };

interface Times {
  asOf: Date;
  now: Date;
}

const DAY_MS = 86_400_000;

/**
 * Reads one line of a legacy export.
 *
 * @param line.bytes null where the line was too long to be kept
 * @param times.asOf the practice's present time, by which people are born; `now` the real one, by which records are made
 */
export function parseLine(line: { bytes: Uint8Array | null; maxBytes: number }, times: Times): ParsedLine {
  const parsed = parseRecord(line, legacyPatient);
  if ("reason" in parsed) return parsed;
  const patient = parsed.record;
  const problems = patientProblems(patient, times);
  return problems ? { reason: describeProblems(problems) } : { patient, fingerprint: fingerprintOf(patient) };
}

/** Reads one line as a record of this shape, or says why it is none. */
export function parseRecord<S extends z.ZodType>(
  line: { bytes: Uint8Array | null; maxBytes: number },
  schema: S,
): { record: z.output<S> } | { reason: string } {
  if (line.bytes === null) return { reason: `longer than ${Math.floor(line.maxBytes / 1024 ** 2)} MiB` };
  const json = parseJson(line.bytes);
  return typeof json === "string" ? { reason: json } : parseValue(json.value, schema);
}

/** A value as a record of this shape, or why it is none. */
export function parseValue<S extends z.ZodType>(
  value: unknown,
  schema: S,
): { record: z.output<S> } | { reason: string } {
  const parsed = check(schema, value);
  if (!parsed.success) return { reason: describeProblems(toFieldErrors(parsed.error.issues)) };
  const unstorable = findUnstorable(parsed.data);
  return unstorable ? { reason: unstorable } : { record: parsed.data };
}

/** The JSON object of a line, or why it is none. */
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

const SHOWN_PROBLEMS = 5;

/** Messages by field in one line of text: `insurances[1].rank: Is blank.`; the first five where there are many. */
export function describeProblems(fields: FieldErrors | FieldErrors[]): string {
  const problems = flatten(fields, "");
  const more = problems.length - SHOWN_PROBLEMS;
  return [...problems.slice(0, SHOWN_PROBLEMS), ...(more > 0 ? [`and ${more} more problems`] : [])].join("; ");
}

function flatten(node: FieldErrors | FieldErrors[] | string[], path: string): string[] {
  if (Array.isArray(node)) {
    return node.flatMap((entry, at) =>
      typeof entry === "string" ? [path ? `${path}: ${entry}` : entry] : flatten(entry, `${path}[${at}]`),
    );
  }
  return Object.entries(node).flatMap(([key, child]) => flatten(child, path ? `${path}.${key}` : key));
}

/** What JSON allows and PostgreSQL can't keep: NUL characters and halves of surrogate pairs. */
export function findUnstorable(value: unknown, path = ""): string | null {
  if (typeof value === "string") {
    const hasNul = value.includes("\u0000");
    if (!hasNul && value.isWellFormed()) return null;
    // The path may have in it what it tells of: the message is to be kept too.
    const where = path.replaceAll("\u0000", "\uFFFD").toWellFormed();
    return hasNul ? `${where}: May not contain NUL.` : `${where}: Contains half of a surrogate pair.`;
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return null;
  for (const [key, child] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
    const found = findUnstorable(child, at) ?? (Array.isArray(value) ? null : findUnstorable(key, at));
    if (found) return found;
  }
  return null;
}

/** A patient with its cards, whether their images are at hand or told of by their hashes. */
type AnyPatient = Omit<LegacyPatient, "insurance_cards"> & {
  insurance_cards: readonly { rank: number; images: readonly { side: number }[] }[];
};

/** Problems of a patient that no single field shows; null where there are none. */
export function patientProblems(patient: AnyPatient, { asOf, now }: Times): FieldErrors | null {
  const seen = new Set<number>();
  const repeated = new Set<number>();
  for (const { id } of [...patient.insurances, ...patient.deleted_insurances]) {
    if (seen.has(id)) repeated.add(id);
    seen.add(id);
  }
  const common = (entry: LegacyInsurance): FieldErrors => ({
    ...insuranceProblems(pickInsurance(entry as Partial<InsuranceFields>)),
    ...(repeated.has(entry.id) ? { id: ["Was given more than once."] } : {}),
    ...futureProblems(entry, now),
  });
  const ranks = patient.insurances.map(({ rank }) => rank);
  const current = patient.insurances.map((entry, at) => ({
    ...common(entry),
    ...(ranks.indexOf(entry.rank) < at ? { rank: ["Another current insurance has this rank."] } : {}),
    ...(entry.carrier?.trim() || entry.insurance_company
      ? {}
      : { carrier: ["Names no insurer, nor does the company."] }),
    ...(entry.deleted_date ? { deleted_date: ["A current insurance can't have one."] } : {}),
  }));
  const past = patient.deleted_insurances.map((entry) => ({ ...common(entry), ...endProblems(entry) }));
  const found: FieldErrors = {};
  if (patient.dob > asOf.toISOString().slice(0, 10)) found.dob = ["Lies in the future."];
  if (current.some(isProblem)) found.insurances = current;
  if (past.some(isProblem)) found.deleted_insurances = past;
  const cards = patient.insurance_cards.flatMap(({ rank, images }) => images.map(({ side }) => `${rank} ${side}`));
  if (new Set(cards).size < cards.length) found.insurance_cards = ["Has two images of one rank and side."];
  return isProblem(found) ? found : null;
}

const isProblem = (fields: FieldErrors) => Object.keys(fields).length > 0;

function futureProblems(entry: LegacyInsurance, now: Date): FieldErrors {
  // A day's grace: the clocks of two systems differ.
  const latest = new Date(now.getTime() + DAY_MS).toISOString();
  const late = (["created_date", "deleted_date"] as const).filter((field) => (entry[field] ?? "") > latest);
  return Object.fromEntries(late.map((field) => [field, ["Lies in the future."]]));
}

function endProblems(entry: LegacyInsurance): FieldErrors {
  const { created_date: created, deleted_date: deleted, end_date: end } = entry;
  if (!deleted && !end) return { deleted_date: ["Is missing, and so is end_date: when did it end?"] };
  return created && deleted && deleted < created ? { deleted_date: ["Must not be before created_date."] } : {};
}

/**
 * From when until when a legacy insurance stood, as history tells it: its own dates, or the nearest that is known.
 *
 * @param now ISO 8601, in UTC; nothing recorded lies after it
 */
export function lifetimeOf(
  entry: LegacyInsurance,
  isCurrent: boolean,
  now: string,
): { from: string; until: string | null } {
  const earliest = (...times: (string | null | undefined)[]) => times.filter((time) => time).sort()[0] as string;
  const startOf = (day: string | null | undefined) => (day ? `${day}T00:00:00.000Z` : null);
  if (isCurrent) return { from: earliest(entry.created_date ?? startOf(entry.start_date), now), until: null };
  const ended = earliest(entry.deleted_date ?? startOf(entry.end_date), now);
  const from = earliest(entry.created_date ?? startOf(entry.start_date) ?? ended, now);
  return { from, until: ended < from ? from : ended };
}

/** A hash of what was read, whatever the order of its fields and the white space between them. */
export function fingerprintOf(patient: LegacyPatient): string {
  return createHash("sha256").update(canonical(patient)).digest("hex");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, node: unknown) => {
    if (node instanceof Uint8Array) return createHash("sha256").update(node).digest("hex");
    if (typeof node !== "object" || node === null || Array.isArray(node)) return node;
    return Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
