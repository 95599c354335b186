import { createHash } from "node:crypto";
import { z } from "zod";
import { type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { type Comparison, filterWords } from "@/lib/platform/http/query";
import { sentForm } from "./input-rules";
import type { Column, Data, Field, ReferenceTarget, Resource, ViewName } from "./schema";

/** What a list is filtered by: one field and how its value compares. */
export interface Filter {
  /** As the client names it. */
  parameter: string;
  field: string;
  bound: Comparison;
}

const BOUND = /^(.+)__(gt|gte|lt|lte|isnull|isnotnull|words|begins_lte|ends_gte)$/;

/** The filters of a resource's list, by the parameters the contract names. */
export function listFilters({ filters }: Pick<Resource, "filters">): Filter[] {
  return filters.map((filter) => {
    const [parameter, means] = typeof filter === "string" ? [filter, filter] : filter;
    const [, field = means, bound = "eq"] = BOUND.exec(means) ?? [];
    return { parameter, field, bound: bound as Filter["bound"] };
  });
}

/** Columns that lists are filtered by without a key. */
const WITHOUT_KEY = new Set<unknown>(["id", "patient_id", "practice_id"]);

/** The column that holds a field, if one does; patient and practice are known of every record. */
export function fieldColumn(resource: Resource, field: string): Column | undefined {
  const declared = resource.fields[field];
  if (declared) return declared.column;
  if (field === "id") return "id";
  return field === "patient" ? "patient_id" : field === "practice" ? "practice_id" : undefined;
}

/** What the API description says of a filter: of the field it means, however the parameter is called. */
export function describeFilter(resource: Resource, { field, bound }: Filter): string {
  return filterWords({ of: fieldLabel(resource, field), bound, repeats: bound === "eq" });
}

/** What a filter's field is called in the API description, in Markdown. */
export function fieldLabel({ keys }: Resource, field: string): string {
  return keys?.[field]?.label ?? `\`${field}\``;
}

/** What a field that lists are filtered by holds. */
export function fieldSchema({ fields, keys }: Resource, field: string): z.ZodType | undefined {
  return keys?.[field]?.schema ?? fields[field]?.schema;
}

/** What names a record in the files it is loaded from, where none of its fields does. */
export const EXTERNAL_ID = "external_id";

/** By what a resource's records are known in files. */
export function bulkLoadKey({ bulkLoad }: Pick<Resource, "bulkLoad">): string {
  return bulkLoad?.key ?? EXTERNAL_ID;
}

/** The fields whose values are kept as keys: those lists are filtered or ordered by, or records are found by. */
export function keyFields(resource: Resource): string[] {
  const asked = [...listFilters(resource).map(({ field }) => field), ...(resource.sortFields ?? [])];
  const named = resource.pathField ? [resource.pathField] : [];
  const fields = [...asked, ...named, ...Object.keys(resource.keys ?? {}), bulkLoadKey(resource), "created_date"];
  return [...new Set(fields)].filter((field) => !WITHOUT_KEY.has(fieldColumn(resource, field))).sort();
}

/** The words of texts, as they are searched by: each field's letters and digits, without regard to case. */
export function searchWords(...texts: unknown[]): string[] {
  const found = texts.flatMap((text) =>
    typeof text === "string" ? (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : [],
  );
  return [...new Set(found)];
}

/** A span of days as a key, in the order of the last ones: what is long over is not read where the present is asked for. */
export const spanKey = (first: string, last: string): string => `${last}/${first}`;

/** Values up to here are whole in their keys, which an index has room for: the contract's names are no longer. */
export const LONGEST_KEY = 255;

/**
 * A value as a key: text that compares, byte by byte, as the values do. Texts without regard to case, times and dates as they
 * are written, whole numbers with zeros in front. What is empty has the empty key. No two values have the same key: of a long
 * text it is the beginning, by which it is ordered, and the hash of the whole, so that it is longer than any other key.
 */
export function toKey(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return numberKey(value);
  const text = typeof value === "string" ? value.toLowerCase() : JSON.stringify(value);
  if (text.length <= LONGEST_KEY) return text;
  // A pair of surrogates may be cut in two, which the database could not hold.
  const beginning = text.slice(0, LONGEST_KEY).toWellFormed();
  return `${beginning}${createHash("sha256").update(text).digest("base64url")}`;
}

/** Negative ones before the others, each in its order. */
function numberKey(value: number): string {
  const digits = (whole: number) => String(whole).padStart(17, "0");
  const whole = Math.trunc(value);
  return whole < 0 ? `-${digits(Number.MAX_SAFE_INTEGER + whole)}` : `0${digits(whole)}`;
}

type Shape = Record<string, z.ZodType>;

/** The fields of one of a resource's answers or bodies. */
export function viewFields({ fields, views }: Resource, view: ViewName): Readonly<Record<string, Field>> {
  return (view === "get" ? undefined : views?.[view]?.fields) ?? fields;
}

/** What the API description calls one of a resource's answers. */
function viewTitle({ title, views }: Resource, view: ViewName): string {
  return (view === "get" ? undefined : views?.[view]?.title) ?? title;
}

/** What the columns that say whose a record is are called in a body. */
export function ownerFields(fields: Readonly<Record<string, Field>>): {
  patient: string | undefined;
  practice: string | undefined;
} {
  const called = (column: Field["column"]) => {
    const names = Object.keys(fields).filter((name) => fields[name]?.column === column);
    return names.find((name) => fields[name]?.kind === "sent") ?? names[0];
  };
  return { patient: called("patient_id"), practice: called("practice_id") };
}

/** The body of POST, or of PUT and PATCH. Fields that are set here, and unknown ones, are ignored. */
export function bodySchema(resource: Resource, view: "create" | "update"): z.ZodObject<Shape> {
  const written = Object.entries(viewFields(resource, view)).filter(([, { kind }]) => kind === "sent");
  const shape = written.map(([name, { schema, required }]) => {
    const sent = sentForm(schema);
    return [name, required ? sent : sent.optional()];
  });
  return z.object(Object.fromEntries(shape)).meta({ title: `${viewTitle(resource, view)}Input` });
}

/** The body of PATCH: as PUT, nothing required. */
export function patchSchema(resource: Resource): z.ZodObject<Shape> {
  const patch = bodySchema(resource, "update").partial() as z.ZodObject<Shape>;
  return patch.meta({ title: `${viewTitle(resource, "update")}Patch` });
}

/** A record on the wire: every field, save those without a default that were never sent. */
export function responseSchema(resource: Resource, view: ViewName): z.ZodObject<Shape> {
  const shape = Object.entries(viewFields(resource, view)).map(([name, field]) => {
    const { schema, answered = schema, initial, column } = field;
    // A record of everybody's is no practice's.
    const form = resource.shared && column === "practice_id" ? answered.nullable() : answered;
    return [name, initial === undefined ? form.optional() : form];
  });
  return z.object(Object.fromEntries(shape)).meta({ title: viewTitle(resource, view) });
}

/** The data of a record: what is kept of a body, with what was never sent as it is to stand. */
export function mergeData(resource: Resource, view: "create" | "update", sent: Data, before: Data = {}): Data {
  const body = viewFields(resource, view);
  const kept = Object.entries({ ...resource.fields, ...body }).filter(([, { column }]) => column === undefined);
  const standing = kept.map(([name, { initial }]) => [name, before[name] === undefined ? initial : before[name]]);
  const written = kept.filter(([name]) => body[name]?.kind === "sent" && sent[name] !== undefined);
  return Object.fromEntries([...Object.entries(before), ...standing, ...written.map(([name]) => [name, sent[name]])]);
}

/** Most characters of a record's data, as JSON. Its files are kept apart from it. */
const LARGEST_RECORD = 1_000_000;

/**
 * Data that may be kept. What was larger before may stay so, but not grow.
 *
 * @throws ValidationError where it is too large: lists and documents of such records would hold up every other request
 */
export function requireSize(data: Data, before: Data | null): Data {
  const size = JSON.stringify(data).length;
  if (size <= LARGEST_RECORD || (before && size <= JSON.stringify(before).length)) return data;
  const message = `The record is too large: it may have ${LARGEST_RECORD} characters, and has ${size}.`;
  throw new ValidationError({ non_field_errors: [message] });
}

/** An id, or that of a record that was sent as a whole. */
const idIn = (sent: unknown): unknown =>
  typeof sent === "object" && sent !== null && "id" in sent ? (sent as { id: unknown }).id : sent;

/** Ids that a record refers to by a field, or by a part of what stands there. */
export interface Reference {
  field: string;
  part?: string;
  target: ReferenceTarget;
  ids: number[];
}

/** What a record refers to. */
export function listReferences(resource: Resource, view: ViewName, data: Data): Reference[] {
  const fields = Object.entries({ ...resource.fields, ...viewFields(resource, view) });
  const whole = fields.flatMap(([field, { refersTo: target }]) => (target ? [{ field, target }] : []));
  const within = Object.entries(resource.nestedReferences ?? {}).flatMap(([field, parts]) =>
    Object.entries(parts).map(([part, target]) => ({ field, part, target })),
  );
  return [...whole.map((one) => ({ ...one, part: undefined })), ...within].flatMap(({ part, ...reference }) => {
    const ids = [data[reference.field]].flat().flatMap((value) => idsIn(value, part));
    return ids.length === 0 ? [] : [{ ...reference, ...(part !== undefined && { part }), ids }];
  });
}

function idsIn(value: unknown, part?: string): number[] {
  const id = part === undefined ? idIn(value) : (value as Data | null | undefined)?.[part];
  return typeof id === "number" ? [id] : [];
}

/** What is wrong with a reference, told at the field, or at the part of the entry that holds one of these ids. */
export function referenceErrors(
  { field, part }: Reference,
  data: Data,
  bad: readonly number[],
  message: string,
): FieldErrors {
  if (part === undefined) return { [field]: [message] };
  const at = (entry: unknown): FieldErrors =>
    idsIn(entry, part).some((id) => bad.includes(id)) ? { [part]: [message] } : {};
  const value = data[field];
  return { [field]: Array.isArray(value) ? value.map(at) : at(value) };
}
