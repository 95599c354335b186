import { z } from "zod";
import { type Bound, filterWords } from "@/lib/http/query";
import { sentForm } from "./input-rules";
import type { Column, Data, Field, Resource, ViewName } from "./schema";

/** What a list is filtered by: one field and how its value compares. */
export interface Filter {
  /** As the client names it. */
  parameter: string;
  field: string;
  bound: Bound;
}

const BOUND = /^(.+)__(gt|gte|lt|lte|isnull|isnotnull|words)$/;

/** The filters of a resource's list, by the parameters the contract names. */
export function filtersOf({ filters }: Pick<Resource, "filters">): Filter[] {
  return filters.map((filter) => {
    const [parameter, means] = typeof filter === "string" ? [filter, filter] : filter;
    const [, field = means, bound = "eq"] = BOUND.exec(means) ?? [];
    return { parameter, field, bound: bound as Filter["bound"] };
  });
}

/** Columns that lists are filtered by without a key. */
const WITHOUT_KEY = new Set<unknown>(["id", "patient_id", "practice_id"]);

/** The column that holds a field, if one does; patient and practice are known of every record. */
export function columnOf(resource: Resource, field: string): Column | undefined {
  const declared = resource.fields[field];
  if (declared) return declared.column;
  if (field === "id") return "id";
  return field === "patient" ? "patient_id" : field === "practice" ? "practice_id" : undefined;
}

/** What the API description says of a filter: of the field it means, however the parameter is called. */
export function wordsOfFilter({ keys }: Resource, { field, bound }: Filter): string {
  const of = keys?.[field]?.shown ?? `\`${field}\``;
  return filterWords({ of, bound, repeats: bound === "eq" });
}

/** What a field that lists are filtered by holds. */
export function schemaOf({ fields, keys }: Resource, field: string): z.ZodType | undefined {
  return keys?.[field]?.schema ?? fields[field]?.schema;
}

/** What names a record in the files it is loaded from, where none of its fields does. */
export const EXTERNAL_ID = "external_id";

/** By what a resource's records are known in files. */
export function loadKeyOf({ loaded }: Pick<Resource, "loaded">): string {
  return loaded?.by ?? EXTERNAL_ID;
}

/** The fields whose values are kept as keys: those lists are filtered or ordered by, or records are found by. */
export function keyFieldsOf(resource: Resource): string[] {
  const asked = [...filtersOf(resource).map(({ field }) => field), ...(resource.orders ?? [])];
  const named = resource.named ? [resource.named] : [];
  const fields = [...asked, ...named, ...Object.keys(resource.keys ?? {}), loadKeyOf(resource), "created_date"];
  return [...new Set(fields)].filter((field) => !WITHOUT_KEY.has(columnOf(resource, field))).sort();
}

/** The words of texts, as they are searched by: each field's letters and digits, without regard to case. */
export function wordsOf(...texts: unknown[]): string[] {
  const found = texts.flatMap((text) =>
    typeof text === "string" ? (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : [],
  );
  return [...new Set(found)];
}

const LONGEST_KEY = 200;

/**
 * A value as a key: text that compares, byte by byte, as the values do. Texts without regard to case, times and dates as they
 * are written, whole numbers with zeros in front. What is empty has the empty key.
 */
export function keyOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return numberKey(value);
  if (typeof value === "string") return value.toLowerCase().slice(0, LONGEST_KEY);
  return JSON.stringify(value).slice(0, LONGEST_KEY);
}

/** Negative ones before the others, each in its order. */
function numberKey(value: number): string {
  const digits = (whole: number) => String(whole).padStart(17, "0");
  const whole = Math.trunc(value);
  return whole < 0 ? `-${digits(Number.MAX_SAFE_INTEGER + whole)}` : `0${digits(whole)}`;
}

type Shape = Record<string, z.ZodType>;

/** The fields of one of a resource's answers or bodies. */
export function fieldsOf({ fields, views }: Resource, view: ViewName): Readonly<Record<string, Field>> {
  return (view === "get" ? undefined : views?.[view]?.fields) ?? fields;
}

/** What the API description calls one of a resource's answers. */
function titleOf({ title, views }: Resource, view: ViewName): string {
  return (view === "get" ? undefined : views?.[view]?.title) ?? title;
}

/** What the columns that say whose a record is are called in a body. */
export function ownerFieldsOf(fields: Readonly<Record<string, Field>>): {
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
export function inputOf(resource: Resource, view: "create" | "update"): z.ZodObject<Shape> {
  const written = Object.entries(fieldsOf(resource, view)).filter(([, { kind }]) => kind === "sent");
  const shape = written.map(([name, { schema, required }]) => {
    const sent = sentForm(schema);
    return [name, required ? sent : sent.optional()];
  });
  return z.object(Object.fromEntries(shape)).meta({ title: `${titleOf(resource, view)}Input` });
}

/** The body of PATCH: as PUT, nothing required. */
export function patchOf(resource: Resource): z.ZodObject<Shape> {
  const patch = inputOf(resource, "update").partial() as z.ZodObject<Shape>;
  return patch.meta({ title: `${titleOf(resource, "update")}Patch` });
}

/** A record on the wire: every field, save those without a default that were never sent. */
export function answerOf(resource: Resource, view: ViewName): z.ZodObject<Shape> {
  const shape = Object.entries(fieldsOf(resource, view)).map(([name, field]) => {
    const { schema, answered = schema, initial, column } = field;
    // A record of everybody's is no practice's.
    const form = resource.shared && column === "practice_id" ? answered.nullable() : answered;
    return [name, initial === undefined ? form.optional() : form];
  });
  return z.object(Object.fromEntries(shape)).meta({ title: titleOf(resource, view) });
}

/** The data of a record: what is kept of a body, with what was never sent as it is to stand. */
export function dataOf(resource: Resource, view: "create" | "update", sent: Data, before: Data = {}): Data {
  const body = fieldsOf(resource, view);
  const kept = Object.entries({ ...resource.fields, ...body }).filter(([, { column }]) => column === undefined);
  const standing = kept.map(([name, { initial }]) => [name, before[name] === undefined ? initial : before[name]]);
  const written = kept.filter(([name]) => body[name]?.kind === "sent" && sent[name] !== undefined);
  return Object.fromEntries([...Object.entries(before), ...standing, ...written.map(([name]) => [name, sent[name]])]);
}

/** An id, or that of a record that was sent as a whole. */
const idIn = (sent: unknown): unknown =>
  typeof sent === "object" && sent !== null && "id" in sent ? (sent as { id: unknown }).id : sent;

/** Ids that a record refers to, by field. */
export function referencesOf(
  fields: Readonly<Record<string, Field>>,
  data: Data,
): { field: string; target: NonNullable<Field["refersTo"]>; ids: number[] }[] {
  return Object.entries(fields).flatMap(([field, { refersTo: target }]) => {
    const ids = [data[field]]
      .flat()
      .map(idIn)
      .filter((id): id is number => typeof id === "number");
    return target && ids.length > 0 ? [{ field, target, ids }] : [];
  });
}
