import { createHash } from "node:crypto";
import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { type Comparison, filterDescription } from "@/lib/platform/http/query";
import type { Data, Shape } from "./data-types";
import type { Column, Fields, ReferenceTarget } from "./fields";
import type { Resource, ViewName } from "./schema";

/** A filter of a list: a query parameter, and how it compares with a field. */
export interface Filter {
  parameter: string;
  field: string;
  bound: Comparison;
}

const BOUNDS = ["gt", "gte", "lt", "lte", "isnull", "isnotnull", "words", "begins_lte", "ends_gte"] as const;

/** Returns the filters of a resource's list. */
export function listFilters({ filters }: Pick<Resource, "filters">): Filter[] {
  return filters.map((filter) => {
    const [parameter, target] = typeof filter === "string" ? [filter, filter] : filter;
    const bound = BOUNDS.find((one) => target.endsWith(`__${one}`));
    return bound
      ? { parameter, field: target.slice(0, -`__${bound}`.length), bound }
      : { parameter, field: target, bound: "eq" };
  });
}

/** Columns that lists are filtered by without keys. */
const WITHOUT_KEY = new Set<unknown>(["id", "patient_id", "practice_id"]);

/** Returns the column of a field, if it has one. Every record has a patient and a practice column. */
export function fieldColumn(resource: Resource, field: string): Column | undefined {
  const declared = resource.fields[field];
  if (declared) return declared.column;
  if (field === "id") return "id";
  return field === "patient" ? "patient_id" : field === "practice" ? "practice_id" : undefined;
}

/** Describes a filter for the API description, by the field that it compares with. */
export function describeFilter(resource: Resource, { field, bound }: Filter): string {
  return filterDescription({ of: fieldLabel(resource, field), bound, repeats: bound === "eq" });
}

/** Returns what the API description calls the field of a filter, in Markdown. */
export function fieldLabel({ keys }: Resource, field: string): string {
  return keys?.[field]?.label ?? `\`${field}\``;
}

/** Returns the schema of a field or key that lists are filtered by. */
export function fieldSchema({ fields, keys }: Resource, field: string): z.ZodType | undefined {
  return keys?.[field]?.schema ?? fields[field]?.schema;
}

/** The key that identifies a record in the files it is loaded from, if none of its fields does. */
export const EXTERNAL_ID = "external_id";

/** Returns the name of the key that identifies a resource's records in files. */
export function bulkLoadKey({ bulkLoad }: Pick<Resource, "bulkLoad">): string {
  return bulkLoad?.key ?? EXTERNAL_ID;
}

/** Returns the fields with keys: those that filter or sort lists, and those that identify records. */
export function keyFields(resource: Resource): string[] {
  const fields = [
    ...listFilters(resource).map(({ field }) => field),
    ...(resource.sortFields ?? []),
    ...(resource.pathField ? [resource.pathField] : []),
    ...Object.keys(resource.keys ?? {}),
    bulkLoadKey(resource),
    "created_date",
  ];
  return [...new Set(fields)].filter((field) => !WITHOUT_KEY.has(fieldColumn(resource, field))).sort();
}

/** Splits texts into words for searches: their letters and digits, in lower case. */
export function searchWords(...texts: unknown[]): string[] {
  const found = texts.flatMap((text) =>
    typeof text === "string" ? (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : [],
  );
  return [...new Set(found)];
}

/** Returns a date range as a key. Its last day comes first, so that a search for current ranges skips past ones. */
export const spanKey = (first: string, last: string): string => `${last}/${first}`;

/** The maximum length of values that are their own key, which is limited by the index. Names in the contract are shorter. */
export const MAX_KEY_CHARACTERS = 255;

/**
 * Returns a value as a key: text that compares, byte by byte, as the values do. Texts are in lower case, times and dates
 * unchanged, and whole numbers padded with zeros. An empty value has the empty key. Different values have different keys: the
 * key of a long text is its beginning, for sorting, and the hash of the whole text, which makes it longer than other keys.
 */
export function toKey(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return numberKey(value);
  const text = typeof value === "string" ? value.toLowerCase() : JSON.stringify(value);
  if (text.length <= MAX_KEY_CHARACTERS) return text;
  // The cut may be within a surrogate pair, and PostgreSQL can't store half of one.
  const beginning = text.slice(0, MAX_KEY_CHARACTERS).toWellFormed();
  return `${beginning}${createHash("sha256").update(text).digest("base64url")}`;
}

/** Sorts negative numbers before the others, each in ascending order. */
function numberKey(value: number): string {
  const digits = (whole: number) => String(whole).padStart(17, "0");
  const whole = Math.trunc(value);
  return whole < 0 ? `-${digits(Number.MAX_SAFE_INTEGER + whole)}` : `0${digits(whole)}`;
}

/** Returns the fields of a response or body. */
export function viewFields({ fields, views }: Pick<Resource, "fields" | "views">, view: ViewName): Fields {
  return (view === "get" ? undefined : views?.[view]?.fields) ?? fields;
}

/** Returns the name of a response's schema in the API description. */
function viewTitle({ title, views }: Resource, view: ViewName): string {
  return (view === "get" ? undefined : views?.[view]?.title) ?? title;
}

/** Returns the names of the fields that hold the patient and the practice, preferring writable ones. */
export function ownerFields(fields: Fields): { patient: string | undefined; practice: string | undefined } {
  const nameOf = (column: Column) => {
    const names = Object.keys(fields).filter((name) => fields[name]?.column === column);
    return names.find((name) => fields[name]?.isWritable) ?? names[0];
  };
  return { patient: nameOf("patient_id"), practice: nameOf("practice_id") };
}

/** The schema of a body that parses to `S`. */
type BodySchema<S> = z.ZodObject<{ [N in keyof S]-?: z.ZodType<S[N]> }>;

/** Returns the schema of the body of POST, or of PUT and PATCH. Read-only and unknown fields in a body are ignored. */
export function bodySchema<S extends Data>(resource: Resource<Data, S>, view: "create" | "update"): BodySchema<S> {
  return body<S>(resource, view, { suffix: "Input", isRequired: (field) => field.required });
}

/** Returns the schema of the body of PATCH, which requires nothing. */
export function patchSchema<S extends Data>(resource: Resource<Data, S>): BodySchema<S> {
  return body<S>(resource, "update", { suffix: "Patch", isRequired: () => false });
}

function body<S extends Data>(
  resource: Resource,
  view: "create" | "update",
  { suffix, isRequired }: { suffix: string; isRequired: (field: { required: boolean }) => boolean },
): BodySchema<S> {
  const written = Object.entries(viewFields(resource, view)).filter(([, { isWritable }]) => isWritable);
  const shape = written.map(([name, field]) => {
    const sent = field.skipsNull ? withoutNullEntries(sentForm(field.schema)) : sentForm(field.schema);
    return [name, isRequired(field) ? sent : sent.optional()];
  });
  const schema = z.object(Object.fromEntries(shape)).meta({ title: `${viewTitle(resource, view)}${suffix}` });
  // `S` is inferred from the same fields that this schema is built from.
  return schema as unknown as BodySchema<S>;
}

/** Returns the schema of a record in responses: all fields, of which those without an initial value can be missing. */
export function responseSchema(resource: Resource, view: ViewName): z.ZodObject<Shape> {
  const shape = Object.entries(viewFields(resource, view)).map(([name, field]) => {
    const { schema, response = schema, initial, column } = field;
    // Shared records have no practice.
    const form = resource.shared && column === "practice_id" ? response.nullable() : response;
    return [name, initial === undefined ? form.optional() : form];
  });
  return z.object(Object.fromEntries(shape)).meta({ title: viewTitle(resource, view) });
}

/** Merges a body into the data of a record. Fields that were never set get their initial values. */
export function mergeData(resource: Resource, view: "create" | "update", sent: Data, before: Data = {}): Data {
  const bodyFields = viewFields(resource, view);
  const data: Record<string, unknown> = { ...before };
  for (const [name, { column, initial }] of Object.entries({ ...resource.fields, ...bodyFields })) {
    if (column !== undefined) continue;
    if (bodyFields[name]?.isWritable && sent[name] !== undefined) data[name] = sent[name];
    else if (before[name] === undefined) data[name] = initial;
  }
  return data;
}

/** The maximum number of characters of a record's data, as JSON. Files are stored apart from it. */
const MAX_RECORD_CHARACTERS = 1_000_000;

/**
 * Requires that data does not exceed the maximum size, because lists of larger records would delay every other request. A record
 * that already exceeds it can be updated but can't grow.
 *
 * @throws ValidationError
 */
export function requireSize(data: Data, before: Data | null): Data {
  const size = JSON.stringify(data).length;
  if (size <= MAX_RECORD_CHARACTERS || (before && size <= JSON.stringify(before).length)) return data;
  const message = `The record is too large: it may have ${MAX_RECORD_CHARACTERS} characters, and has ${size}.`;
  throw new ValidationError({ non_field_errors: [message] });
}

/** The IDs in a field of a record, or in a part of its value. */
export interface Reference {
  field: string;
  part?: string | undefined;
  target: ReferenceTarget;
  ids: number[];
}

/** Lists the references of a record. */
export function listReferences(resource: Resource, view: ViewName, data: Data): Reference[] {
  const fields = Object.entries({ ...resource.fields, ...viewFields(resource, view) });
  const whole = fields.flatMap(([field, { refersTo: target }]) => (target ? [{ field, part: undefined, target }] : []));
  const nested = Object.entries(resource.nestedReferences ?? {}).flatMap(([field, parts = {}]) =>
    Object.entries(parts).map(([part, target]) => ({ field, part, target })),
  );
  return [...whole, ...nested].flatMap((reference) => {
    const ids = [data[reference.field]].flat().flatMap((value) => idsIn(value, reference.part));
    return ids.length === 0 ? [] : [{ ...reference, ids }];
  });
}

const isData = (value: unknown): value is Data => typeof value === "object" && value !== null;

/** Returns the ID in a value: the part with this name, the value itself, or the `id` of a record that was sent as an object. */
function idsIn(value: unknown, part: string | undefined): number[] {
  const id = isData(value) && (part !== undefined || "id" in value) ? value[part ?? "id"] : part === undefined && value;
  return typeof id === "number" ? [id] : [];
}

/**
 * Builds the validation errors for a reference: at its field, or at the parts that hold one of these IDs.
 *
 * @param messages returns the messages for IDs
 */
export function referenceErrors(
  { field, part }: Reference,
  data: Data,
  bad: readonly number[],
  messages: (...ids: number[]) => string[],
): FieldErrors {
  if (part === undefined) return { [field]: messages(...bad) };
  const errorsOf = (entry: unknown): FieldErrors => {
    const found = idsIn(entry, part).filter((id) => bad.includes(id));
    return found.length === 0 ? {} : { [part]: messages(...found) };
  };
  const value = data[field];
  return { [field]: Array.isArray(value) ? value.map(errorsOf) : errorsOf(value) };
}

/**
 * Returns the schema of a value in requests, which omits the read-only parts that schemas mark with `.readonly()`. Such values
 * are ignored, like unknown fields.
 */
export function sentForm(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape).filter(([, field]) => !isReadOnly(field));
    return z.object(Object.fromEntries(fields.map(([name, field]) => [name, sentForm(field)])));
  }
  if (schema instanceof z.ZodArray) {
    const entry = entryOf(schema);
    const sent = sentForm(entry);
    return sent === entry ? schema : schema.clone({ ...schema.def, element: sent });
  }
  if (schema instanceof z.ZodNullable) return sentForm(unwrap(schema)).nullable();
  if (schema instanceof z.ZodOptional) return sentForm(unwrap(schema)).optional();
  return schema;
}

/** Returns the schema of a list whose null entries are accepted and left out. */
function withoutNullEntries(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodArray)) throw new TypeError("not a list");
  return schema
    .clone({ ...schema.def, element: entryOf(schema).nullable() })
    .transform((entries) => entries.filter((entry) => entry !== null));
}

/** Returns whether only the server sets a part of a value. */
export function isReadOnly(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? isReadOnly(unwrap(schema))
    : schema instanceof z.ZodReadonly;
}

/** Unwraps a schema that allows null or omission. */
export function withoutNull(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? withoutNull(unwrap(schema)) : schema;
}

/** Returns the schema of a single value of a field: an entry if it is a list, and not null. */
export function singleValue(schema: z.ZodType): z.ZodType {
  const plain = withoutNull(schema);
  return plain instanceof z.ZodArray ? singleValue(entryOf(plain)) : plain;
}

/** Returns the schema of a list's entries. */
export function entryOf(schema: z.ZodArray): z.ZodType {
  return asClassic(schema.element);
}

const unwrap = (schema: z.ZodNullable | z.ZodOptional): z.ZodType => asClassic(schema.unwrap());

/** Narrows a schema inside another one, which Zod types by its core package. All our schemas come from its main package. */
function asClassic(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError("not a Zod schema");
}
