import { z } from "zod";
import { countCharacters } from "@/lib/insurance/fields/limits";
import { BusinessRuleError } from "@/lib/platform/errors";
import { describeProblems, findUnstorable, parseJson } from "@/lib/platform/files/parse-record";
import { readLines } from "@/lib/platform/files/read-lines";
import { readRows } from "@/lib/platform/files/read-rows";
import type { Source } from "@/lib/platform/files/source";
import { isStorable } from "@/lib/platform/http/query";
import { toFieldErrors, validate } from "@/lib/platform/http/validation";
import type { Data } from "./data-types";
import type { Field, ReferenceTarget } from "./fields";
import { bulkLoadKey, EXTERNAL_ID, entryOf, fieldSchema, toKey, withoutNull } from "./rules";
import type { Resource } from "./schema";

/** Declarations by name, for the references in rows. */
export type Declarations = ReadonlyMap<string, Resource>;

/** The content of a row, which describes one record. */
export interface LoadedRow {
  /** The key that identifies the record. */
  key: string;
  /** The fields in the row. References are as in the file. */
  given: Data;
  patientId: number | null;
}

/** A reference in a row: by ID, or by the key that identifies the record in files. */
export interface Mention {
  field: string;
  target: ReferenceTarget;
  by: { id: number } | { key: string };
}

const externalId = z.string().min(1).max(200);
const id = z.int().positive();

/** Returns whether the server sets the column of a field. The only columns that rows set are the record's owner. */
const isSetByServer = ({ column }: Field) =>
  column !== undefined && column !== "patient_id" && column !== "practice_id";

/** Returns the schemas of stored values that files contain but responses don't. */
function storedSchemas({ bulkLoad, stored = {} }: Resource): Record<string, z.ZodType> {
  const names = bulkLoad?.stored ?? [];
  return Object.fromEntries(Object.entries(stored).filter(([name]) => names.includes(name)));
}

/**
 * Returns the schema of a row: the fields of the record, including read-only ones; references by ID or by the key of the record
 * in files (`{"medispanid": "10042"}`); and its `external_id`, unless one of its fields identifies it.
 */
export function rowSchema(resource: Resource, declarations: Declarations): z.ZodType<Data> {
  const key = bulkLoadKey(resource);
  const fields = Object.entries(resource.fields).map(([name, field]) => {
    if (isSetByServer(field)) return [name, z.unknown().optional()];
    const schema = referenceSchema(field, declarations) ?? field.schema;
    const isRequired = name === key || (field.required && field.column !== "practice_id");
    return [name, isRequired ? schema : schema.optional()];
  });
  const keyField = key === EXTERNAL_ID ? { [EXTERNAL_ID]: externalId } : {};
  return z.strictObject({ ...Object.fromEntries(fields), ...storedSchemas(resource), ...keyField });
}

function referenceSchema({ refersTo, schema }: Field, declarations: Declarations): z.ZodType | null {
  const key = refersTo && keySchema(refersTo, declarations);
  if (!key) return null;
  const one = z.union([id, z.strictObject({ [key.name]: key.schema })], {
    error: `Must be an ID, or {"${key.name}": …}.`,
  });
  const value = withoutNull(schema) instanceof z.ZodArray ? z.array(one).max(1_000) : one;
  return schema.safeParse(null).success ? value.nullable() : value;
}

/** Returns the key that identifies records of a resource in files, or null for resources that have their own tables. */
function keySchema(target: ReferenceTarget, declarations: Declarations): { name: string; schema: z.ZodType } | null {
  const resource = declarations.get(target);
  if (!resource) return null;
  const name = bulkLoadKey(resource);
  return { name, schema: fieldSchema(resource, name) ?? externalId };
}

const MAX_NAME_CHARACTERS = 200;

/**
 * Reads a row.
 *
 * @param practiceId of the loaded records, or null for shared ones
 * @returns the content of the row, or why it is invalid, by field
 */
export function readRow(
  resource: Resource,
  schema: z.ZodType<Data>,
  { value, practiceId }: { value: unknown; practiceId: number | null },
): LoadedRow | { reason: string } {
  const parsed = validate(schema, value);
  if (!parsed.success) return { reason: describeProblems(toFieldErrors(parsed.error.issues)) };
  const unstorable = findUnstorable(parsed.data);
  if (unstorable) return { reason: unstorable };
  const name = bulkLoadKey(resource);
  const named = parsed.data[name] ?? "";
  if (named === "") return { reason: `${name}: Identifies the record and must not be empty.` };
  if (countCharacters(String(named)) > MAX_NAME_CHARACTERS)
    return { reason: `${name}: Must have at most ${MAX_NAME_CHARACTERS} characters.` };
  let patientId: number | null = null;
  const given: Record<string, unknown> = {};
  for (const [field, held] of Object.entries(parsed.data)) {
    const { column } = resource.fields[field] ?? {};
    if (column === "patient_id") patientId = typeof held === "number" ? held : null;
    else if (column === "practice_id" && (held ?? null) !== null && held !== practiceId) {
      return { reason: `${field}: Is not the practice whose records are loaded.` };
    } else if (column === undefined && held !== undefined) given[field] = held;
  }
  if (resource.owner === "patient" && patientId === null) return { reason: "patient: This field is required." };
  return { key: toKey(named), given, patientId };
}

/** Properties shared by all rows of a resource, computed once. */
export interface RowPlan {
  /** The initial values of fields. */
  initial: Data;
  /** The fields that refer to other records. */
  references: readonly { field: string; target: ReferenceTarget }[];
}

/** Computes the properties that all rows of a resource share. */
export function planRows({ fields }: Resource): RowPlan {
  const kept = Object.entries(fields).filter(
    ([, { column, initial }]) => column === undefined && initial !== undefined,
  );
  return {
    initial: Object.fromEntries(kept.map(([name, { initial }]) => [name, initial])),
    references: Object.entries(fields).flatMap(([field, { refersTo }]) =>
      refersTo ? [{ field, target: refersTo }] : [],
    ),
  };
}

/** Lists the references in a row. */
export function listMentions({ references }: RowPlan, given: Data): Mention[] {
  return references.flatMap(({ field, target }) =>
    [given[field] ?? []].flat().map((value) => ({ field, target, by: identifierIn(value) })),
  );
}

function identifierIn(value: unknown): Mention["by"] {
  return typeof value === "number" ? { id: value } : { key: toKey(Object.values(value ?? {})[0]) };
}

/** Merges a row into the data of a record. Fields that the row omits keep their values, or get their initial ones. */
export function mergeRow(
  { initial, references }: RowPlan,
  given: Data,
  { before, idOf }: { before: Data; idOf: (mention: Mention) => number | undefined },
): Data {
  const data: Record<string, unknown> = { ...initial, ...before, ...given };
  for (const { field, target } of references) {
    const value = given[field] ?? null;
    if (value === null) continue;
    const one = (each: unknown) => idOf({ field, target, by: identifierIn(each) });
    data[field] = Array.isArray(value) ? value.map(one) : one(value);
  }
  return data;
}

/** Returns what is wrong with the headings of a CSV file, or null. Dots in headings lead into nested values. */
export function problemOfHeadings(resource: Resource, headings: readonly string[]): string | null {
  const stored = Object.keys(storedSchemas(resource));
  const fields = [...Object.keys(resource.fields), ...stored, bulkLoadKey(resource)];
  const unknown = headings.find((heading) => !fields.includes(pathIn(heading)[0]));
  if (unknown !== undefined) {
    const loadable = fields.filter((field) => !(resource.fields[field] && isSetByServer(resource.fields[field])));
    return `"${isStorable(unknown) ? unknown : "?"}" is not a field of ${resource.name}. Fields: ${[...new Set(loadable)].sort().join(", ")}`;
  }
  const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
  return twice === undefined ? null : `"${twice}" appears twice.`;
}

/** A path into a row: a field, and the names within its value. */
type Path = readonly [field: string, ...names: string[]];

function pathIn(heading: string): Path {
  const [field = "", ...names] = heading.split(".");
  return [field, ...names];
}

/**
 * Converts a row of a CSV file to JSON values. Cells become numbers and booleans if the field has that type; lists are split at
 * semicolons, or written as JSON; nested values have dotted headings, or are written as JSON. An empty cell becomes the first
 * of null, an empty text or list, or no value, that the field accepts; within a nested value it becomes no value.
 */
export function toRow(
  resource: Resource,
  declarations: Declarations,
  { headings, cells }: { headings: readonly string[]; cells: readonly string[] },
): Data {
  const row: Record<string, unknown> = {};
  for (const [at, heading] of headings.entries()) {
    const path = pathIn(heading);
    const cell = cells[at] ?? "";
    const isEmptyPart = path.length > 1 && cell === "";
    setValue(row, path, isEmptyPart ? undefined : readCell(cellSchema(resource, declarations, path), cell));
  }
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, withoutEmpty(resource, field, value)]));
}

/** Replaces a nested value whose cells are all empty with null or no value. */
function withoutEmpty(resource: Resource, field: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || Object.values(value).some((part) => part !== undefined)) return value;
  return resource.fields[field]?.schema.safeParse(null).success ? null : undefined;
}

function setValue(into: Record<string, unknown>, [name, next, ...rest]: Path, value: unknown): void {
  if (next === undefined) into[name] = value;
  else {
    const inner: Record<string, unknown> = { ...(into[name] ?? {}) };
    into[name] = inner;
    setValue(inner, [next, ...rest], value);
  }
}

function cellSchema(resource: Resource, declarations: Declarations, [field, ...names]: Path): z.ZodType {
  const declared = resource.fields[field];
  const fieldSchema = declared?.schema ?? storedSchemas(resource)[field] ?? externalId;
  const key = names.length > 0 && declared?.refersTo ? keySchema(declared.refersTo, declarations) : null;
  if (key) return names[0] === key.name ? key.schema : z.unknown();
  return names.reduce<z.ZodType>((schema, name) => {
    const plain = withoutNull(schema);
    return (plain instanceof z.ZodObject ? plain.shape[name] : undefined) ?? z.unknown();
  }, fieldSchema);
}

function readCell(schema: z.ZodType, cell: string): unknown {
  if (cell === "") return [null, "", []].find((empty) => schema.safeParse(empty).success);
  const plain = withoutNull(schema);
  if (plain instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (plain instanceof z.ZodBoolean) return { true: true, false: false }[cell.toLowerCase()] ?? cell;
  if (plain instanceof z.ZodArray && !cell.startsWith("[")) {
    const entry = entryOf(plain);
    return cell.split(";").map((part) => readCell(entry, part.trim()));
  }
  const isText = plain instanceof z.ZodString || plain instanceof z.ZodEnum;
  return !isText && /^[[{]/.test(cell) ? parseJsonOr(cell) : cell;
}

/** Parses JSON. Returns any other text unchanged. */
function parseJsonOr(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** A row of a file, or the reason why it can't be read. Lines are counted from 1. */
export type FileRow = { line: number; bytes: number; bytesRead: number } & ({ value: unknown } | { reason: string });

const MAX_LINE_BYTES = 1024 * 1024;

/** A file to load. */
export interface LoadedFile {
  source: Source;
  format: "ndjson" | "csv";
}

/**
 * Reads the rows of a file, one at a time.
 *
 * @throws BusinessRuleError columns_unknown: a heading of a CSV file names no field
 */
export function readFileRows(
  resource: Resource,
  declarations: Declarations,
  { source, format }: LoadedFile,
): AsyncGenerator<FileRow> {
  return format === "csv" ? readCsvRows(resource, declarations, source) : readJsonRows(source);
}

async function* readJsonRows(source: Source): AsyncGenerator<FileRow> {
  for await (const { number: line, bytes, bytesRead } of readLines(source, { maxBytes: MAX_LINE_BYTES })) {
    const place = { line, bytes: bytes?.length ?? 0, bytesRead };
    const read = bytes ? parseJson(bytes) : `is longer than ${MAX_LINE_BYTES} bytes`;
    yield typeof read === "string" ? { ...place, reason: read } : { ...place, value: read.value };
  }
}

async function* readCsvRows(resource: Resource, declarations: Declarations, source: Source): AsyncGenerator<FileRow> {
  let headings: string[] | null = null;
  let before = 0;
  for await (const row of readRows(source)) {
    const place = { line: row.number, bytes: row.bytesRead - before, bytesRead: row.bytesRead };
    before = row.bytesRead;
    if (!headings) {
      headings = requireHeadings(resource, row);
    } else if ("reason" in row) {
      yield { ...place, reason: row.reason };
    } else if (row.cells.length !== headings.length) {
      yield { ...place, reason: `has ${row.cells.length} cells, and there are ${headings.length} headings` };
    } else {
      yield { ...place, value: toRow(resource, declarations, { headings, cells: row.cells }) };
    }
  }
}

function requireHeadings(
  resource: Resource,
  row: { number: number } & ({ cells: string[] } | { reason: string }),
): string[] {
  const problem = "cells" in row ? problemOfHeadings(resource, row.cells) : `line ${row.number} ${row.reason}`;
  if (problem !== null) throw new BusinessRuleError("columns_unknown", problem);
  return "cells" in row ? row.cells : [];
}

/** Turns values in memory into rows, as if each were a line of a file. */
export async function* toFileRows(values: Iterable<unknown>): AsyncGenerator<FileRow> {
  let line = 0;
  for (const value of values) yield { line: ++line, bytes: 0, bytesRead: 0, value };
}
