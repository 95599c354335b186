import { z } from "zod";

/**
 * Returns the form of a value in requests: without what is read-only within it, which schemas mark by `.readonly()`. Such
 * values are ignored, as unknown fields are (design §4).
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

function isReadOnly(schema: z.ZodType): boolean {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? isReadOnly(unwrap(schema))
    : schema instanceof z.ZodReadonly;
}

/** Returns what can be null or left out without that. */
export function withoutNull(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodNullable || schema instanceof z.ZodOptional ? withoutNull(unwrap(schema)) : schema;
}

/** Returns a single value of a field: an entry of a list, and never null. */
export function singleValue(schema: z.ZodType): z.ZodType {
  const plain = withoutNull(schema);
  return plain instanceof z.ZodArray ? singleValue(entryOf(plain)) : plain;
}

/** Returns the schema of a list's entries. */
export function entryOf(schema: z.ZodArray): z.ZodType {
  return asClassic(schema.element);
}

const unwrap = (schema: z.ZodNullable | z.ZodOptional): z.ZodType => asClassic(schema.unwrap());

/** Zod types what schemas contain by its core. Ours are all made by its main package. */
function asClassic(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new TypeError("not a Zod schema");
}
