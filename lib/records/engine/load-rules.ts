import { z } from "zod";
import { countCharacters } from "@/lib/insurance/fields/limits";
import { describeProblems, findUnstorable } from "@/lib/platform/files/parse-record";
import { isStorable } from "@/lib/platform/http/query";
import { check, toFieldErrors } from "@/lib/platform/http/validation";
import { bulkLoadKey, EXTERNAL_ID, fieldSchema, toKey } from "./rules";
import type { Data, Field, ReferenceTarget, Resource } from "./schema";

/** Declarations by name: how what rows refer to is known in files. */
export type Declarations = ReadonlyMap<string, Resource>;

/** What a row says of one record. */
export interface LoadedRow {
  /** What the record is known by, as a key. */
  key: string;
  /** The fields the row gives, references still as the file has them. */
  given: Data;
  patientId: number | null;
}

/** What a row refers to: by id, or by the key it is known by in files. */
export interface Mention {
  field: string;
  target: ReferenceTarget;
  by: { id: number } | { key: string };
}

const externalId = z.string().min(1).max(200);
const id = z.int().positive();

/** What is in a column of the record itself is set here, save whose it is. */
const isSetHere = ({ column }: Field) => column !== undefined && column !== "patient_id" && column !== "practice_id";

/**
 * What a row of a file has to be: the record's fields, those clients can't send among them; what it refers to by id, or by
 * what that is known by in files (`{"medispanid": "10042"}`); and its `external_id` where no field of its own names it.
 */
export function rowSchemaOf(resource: Resource, declarations: Declarations): z.ZodType<Data> {
  const key = bulkLoadKey(resource);
  const fields = Object.entries(resource.fields).map(([name, field]) => {
    if (isSetHere(field)) return [name, z.unknown().optional()];
    const schema = referenceSchemaOf(field, declarations) ?? field.schema;
    const isNeeded = name === key || (field.required && field.column !== "practice_id");
    return [name, isNeeded ? schema : schema.optional()];
  });
  const own = key === EXTERNAL_ID ? { [EXTERNAL_ID]: externalId } : {};
  return z.strictObject({ ...Object.fromEntries(fields), ...resource.bulkLoad?.fields, ...own });
}

function referenceSchemaOf({ refersTo, schema }: Field, declarations: Declarations): z.ZodType | null {
  const known = refersTo && nameSchemaOf(refersTo, declarations);
  if (!known) return null;
  const one = z.union([id, z.strictObject(known)], { error: `Must be an id, or {"${Object.keys(known)[0]}": …}.` });
  const plain = unwrapped(schema);
  const wanted = plain instanceof z.ZodArray ? z.array(one).max(1_000) : one;
  return schema.safeParse(null).success ? wanted.nullable() : wanted;
}

/** What records of a resource are known by in files; null for those of tables of their own. */
function nameSchemaOf(target: ReferenceTarget, declarations: Declarations): Record<string, z.ZodType> | null {
  const resource = declarations.get(target);
  if (!resource) return null;
  const key = bulkLoadKey(resource);
  return { [key]: key === EXTERNAL_ID ? externalId : (fieldSchema(resource, key) as z.ZodType) };
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodNullable || schema instanceof z.ZodOptional;
  return isWrapped ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

const LONGEST_NAME = 200;

/**
 * Reads a row as what it says of a record.
 *
 * @param practiceId whose records are loaded; null for everybody's
 * @returns or why it can't be taken, by field
 */
export function readRow(
  resource: Resource,
  schema: z.ZodType<Data>,
  { value, practiceId }: { value: unknown; practiceId: number | null },
): LoadedRow | { reason: string } {
  const parsed = check(schema, value);
  if (!parsed.success) return { reason: describeProblems(toFieldErrors(parsed.error.issues)) };
  const unstorable = findUnstorable(parsed.data);
  if (unstorable) return { reason: unstorable };
  const name = bulkLoadKey(resource);
  const named = parsed.data[name] ?? "";
  if (named === "") return { reason: `${name}: Is what the record is known by, and may not be empty.` };
  if (countCharacters(String(named)) > LONGEST_NAME)
    return { reason: `${name}: Must have at most ${LONGEST_NAME} characters.` };
  let patientId: number | null = null;
  const given: Record<string, unknown> = {};
  for (const [field, held] of Object.entries(parsed.data)) {
    const { column } = resource.fields[field] ?? {};
    if (column === "patient_id") patientId = (held as number | null) ?? null;
    else if (column === "practice_id" && (held ?? null) !== null && held !== practiceId) {
      return { reason: `${field}: Is not the practice whose records are loaded.` };
    } else if (column === undefined && held !== undefined) given[field] = held;
  }
  if (resource.owner === "patient" && patientId === null) return { reason: "patient: This field is required." };
  return { key: toKey(named), given, patientId };
}

/** What a resource's rows have in common, worked out once for all of them. */
export interface RowPlan {
  /** What fields hold that no row gives. */
  standing: Data;
  /** The fields that refer to others. */
  refersTo: readonly { field: string; target: ReferenceTarget }[];
}

/** Works out what every row of a resource is taken by. */
export function planRows({ fields }: Resource): RowPlan {
  const kept = Object.entries(fields).filter(
    ([, { column, initial }]) => column === undefined && initial !== undefined,
  );
  return {
    standing: Object.fromEntries(kept.map(([name, { initial }]) => [name, initial])),
    refersTo: Object.entries(fields).flatMap(([field, { refersTo }]) =>
      refersTo ? [{ field, target: refersTo }] : [],
    ),
  };
}

/** What a row refers to. */
export function mentionsOf({ refersTo }: RowPlan, given: Data): Mention[] {
  return refersTo.flatMap(({ field, target }) =>
    [given[field] ?? []].flat().map((said) => ({ field, target, by: saidBy(said) })),
  );
}

function saidBy(said: unknown): Mention["by"] {
  return typeof said === "number" ? { id: said } : { key: toKey(Object.values(said as Data)[0]) };
}

/** What a record holds once a row is taken: fields the row does not give stay, or stand as by default. */
export function loadedData(
  { standing, refersTo }: RowPlan,
  given: Data,
  { before, idOf }: { before: Data; idOf: (mention: Mention) => number },
): Data {
  const data: Record<string, unknown> = { ...standing, ...before, ...given };
  for (const { field, target } of refersTo) {
    const said = given[field] ?? null;
    if (said === null) continue;
    const one = (each: unknown) => idOf({ field, target, by: saidBy(each) });
    data[field] = Array.isArray(said) ? said.map(one) : one(said);
  }
  return data;
}

/** What is wrong with the headings of a CSV file; null where each is a field. Dots lead into nested values. */
export function problemOfHeadings(resource: Resource, headings: readonly string[]): string | null {
  const fields = [
    ...Object.keys(resource.fields),
    ...Object.keys(resource.bulkLoad?.fields ?? {}),
    bulkLoadKey(resource),
  ];
  const unknown = headings.find((heading) => !fields.includes(heading.split(".")[0] as string));
  if (unknown !== undefined) {
    const loadable = fields.filter((field) => !(resource.fields[field] && isSetHere(resource.fields[field])));
    return `"${isStorable(unknown) ? unknown : "?"}" is no field of ${resource.name}. Fields: ${[...new Set(loadable)].sort().join(", ")}`;
  }
  const twice = headings.find((heading, at) => headings.indexOf(heading) !== at);
  return twice === undefined ? null : `"${twice}" is there twice.`;
}

/**
 * A row of a CSV file as a row of JSON: numbers and booleans where the fields hold them, lists apart at semicolons (or as
 * JSON), nested values under dotted headings (or as JSON). An empty cell is null, or the empty text or list, or nothing:
 * the first of these the field takes; within a nested value it is nothing.
 */
export function rowOfCells(
  resource: Resource,
  declarations: Declarations,
  { headings, cells }: { headings: readonly string[]; cells: readonly string[] },
): Data {
  const row: Record<string, unknown> = {};
  for (const [at, heading] of headings.entries()) {
    const [field = "", ...path] = heading.split(".");
    const cell = cells[at] ?? "";
    if (path.length > 0 && cell === "") put(row, [field, ...path], undefined);
    else put(row, [field, ...path], valueOfCell(cellSchemaOf(resource, declarations, field, path), cell));
  }
  return Object.fromEntries(Object.entries(row).map(([field, value]) => [field, orNone(resource, field, value)]));
}

/** A nested value of which every cell is empty is none at all. */
function orNone(resource: Resource, field: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || Object.values(value).some((part) => part !== undefined)) return value;
  return resource.fields[field]?.schema.safeParse(null).success ? null : undefined;
}

function put(into: Record<string, unknown>, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) into[name] = value;
  else {
    const inner = (into[name] ?? {}) as Record<string, unknown>;
    into[name] = inner;
    put(inner, rest, value);
  }
}

function cellSchemaOf(
  resource: Resource,
  declarations: Declarations,
  field: string,
  path: readonly string[],
): z.ZodType {
  const declared = resource.fields[field];
  const own = declared?.schema ?? resource.bulkLoad?.fields?.[field] ?? externalId;
  const [first] = path;
  const names = first && declared?.refersTo ? nameSchemaOf(declared.refersTo, declarations) : null;
  if (names && first) return names[first] ?? z.unknown();
  return path.reduce<z.ZodType>((schema, name) => {
    const plain = unwrapped(schema);
    return plain instanceof z.ZodObject
      ? ((plain.shape as Record<string, z.ZodType>)[name] ?? z.unknown())
      : z.unknown();
  }, own);
}

function valueOfCell(schema: z.ZodType, cell: string): unknown {
  if (cell === "") return [null, "", []].find((empty) => schema.safeParse(empty).success);
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell;
  if (plain instanceof z.ZodBoolean) return { true: true, false: false }[cell.toLowerCase()] ?? cell;
  if (plain instanceof z.ZodArray && !cell.startsWith("[")) {
    return cell.split(";").map((part) => valueOfCell(plain.element as z.ZodType, part.trim()));
  }
  const isText = plain instanceof z.ZodString || plain instanceof z.ZodEnum;
  return !isText && /^[[{]/.test(cell) ? jsonOr(cell) : cell;
}

function jsonOr(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
