// The values that the server sets in parts of a record: nested objects and entries of lists that have a read-only ID.
import { z } from "zod";
import { groupBy } from "@/lib/platform/objects";
import type { Data } from "./data-types";
import { entryOf, isReadOnly, viewFields, withoutNull } from "./rules";
import type { Resource } from "./schema";

const CREATED = new Set(["created_date", "create_date"]);
const UPDATED = new Set(["last_updated", "updated_date"]);
/** Null, because deleted parts are not kept. */
const DELETED = new Set(["deleted_date", "delete_date"]);
/** The ID of the record that the part belongs to. */
const OWNER = new Set(["document", "lab_order"]);

/** A write whose parts get their values. */
interface PartsWrite {
  id: number;
  data: Data;
  before: Data | null;
  sent: Data;
  /** ISO 8601 */
  now: string;
}

interface Filling extends Pick<PartsWrite, "id" | "now"> {
  /** New parts, which get IDs together. */
  unnumbered: Record<string, unknown>[];
}

/**
 * Returns the data of a record with the read-only values of the parts that were sent. An entry of a list that was sent unchanged
 * keeps its values, and so does a nested object.
 *
 * @param nextIds returns unused IDs
 */
export async function withPartValues(
  resource: Resource,
  view: "create" | "update",
  write: PartsWrite,
  nextIds: (count: number) => Promise<number[]>,
): Promise<Data> {
  const fields = viewFields(resource, view);
  const filling: Filling = { id: write.id, now: write.now, unnumbered: [] };
  const filled = Object.keys(write.sent).flatMap((name) => {
    const field = fields[name];
    const isOwnForm = !field?.isWritable || field.column !== undefined || name in (resource.stored ?? {});
    if (isOwnForm || !hasParts(field.schema)) return [];
    return [[name, fill(field.schema, write.data[name], write.before?.[name], filling)]];
  });
  const ids = await nextIds(filling.unnumbered.length);
  for (const [index, part] of filling.unnumbered.entries()) part.id = ids[index];
  return filled.length === 0 ? write.data : { ...write.data, ...Object.fromEntries(filled) };
}

const isData = (value: unknown): value is Data => typeof value === "object" && value !== null;

function shapeOf(schema: z.ZodObject): [name: string, field: z.ZodType][] {
  return Object.entries<z.ZodType>(schema.shape);
}

/** Returns whether the objects of a schema have IDs that the server assigns. */
function isPart(schema: z.ZodObject): boolean {
  return shapeOf(schema).some(([name, field]) => name === "id" && isReadOnly(field));
}

const known = new WeakMap<z.ZodType, boolean>();

/** Returns whether values of a schema have parts. */
function hasParts(schema: z.ZodType): boolean {
  const found = known.get(schema) ?? findParts(withoutNull(schema));
  known.set(schema, found);
  return found;
}

function findParts(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodArray) return hasParts(entryOf(schema));
  if (!(schema instanceof z.ZodObject)) return false;
  return isPart(schema) || shapeOf(schema).some(([, field]) => hasParts(field));
}

function fill(given: z.ZodType, value: unknown, before: unknown, filling: Filling): unknown {
  const schema = withoutNull(given);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const entry = entryOf(schema);
    const previous = groupBy(Array.isArray(before) ? before : [], (one) => sentText(entry, one));
    return value.map((one) => fill(entry, one, previous.get(sentText(entry, one))?.shift(), filling));
  }
  if (!(schema instanceof z.ZodObject) || !isData(value)) return value;
  const previous = isData(before) ? before : {};
  const part: Record<string, unknown> = { ...value };
  for (const [name, field] of shapeOf(schema))
    if (value[name] !== undefined && hasParts(field)) part[name] = fill(field, value[name], previous[name], filling);
  if (isPart(schema)) setServerValues(schema, part, previous, filling);
  return part;
}

function setServerValues(schema: z.ZodObject, part: Record<string, unknown>, before: Data, filling: Filling): void {
  for (const [name, field] of shapeOf(schema)) {
    if (!isReadOnly(field) || part[name] !== undefined) continue;
    const isKept =
      before[name] !== undefined && !(UPDATED.has(name) && sentText(schema, before) !== sentText(schema, part));
    if (isKept) part[name] = before[name];
    else if (name === "id") filling.unnumbered.push(part);
    else if (CREATED.has(name) || UPDATED.has(name)) part[name] = filling.now;
    else if (DELETED.has(name)) part[name] = null;
    else if (OWNER.has(name)) part[name] = filling.id;
  }
}

/** Returns what clients sent of a value, in a form that is equal for equal values. */
function sentText(schema: z.ZodType, value: unknown): string {
  return JSON.stringify(sentValue(schema, value)) ?? "";
}

function sentValue(given: z.ZodType, value: unknown): unknown {
  const schema = withoutNull(given);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((one) => sentValue(entryOf(schema), one));
  if (!(schema instanceof z.ZodObject) || !isData(value)) return value;
  const sent = shapeOf(schema).filter(([name, field]) => !isReadOnly(field) && value[name] !== undefined);
  return sent.map(([name, field]) => [name, sentValue(field, value[name])]);
}
