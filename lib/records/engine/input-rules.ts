import { z } from "zod";

/**
 * A value as clients send it: what is read only within it is ignored there, as unknown fields are (design §4). Schemas mark
 * such fields by `.readonly()`.
 */
export function sentForm(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const sent = Object.entries(schema.shape as Record<string, z.ZodType>).filter(([, field]) => !isReadOnly(field));
    return z.object(Object.fromEntries(sent.map(([name, field]) => [name, sentForm(field)])));
  }
  if (schema instanceof z.ZodArray) {
    const sent = sentForm(schema.element as z.ZodType);
    return sent === schema.element ? schema : schema.clone({ ...schema.def, element: sent });
  }
  if (schema instanceof z.ZodNullable) return sentForm(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodOptional) return sentForm(schema.unwrap() as z.ZodType).optional();
  return schema;
}

function isReadOnly(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return isReadOnly(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodReadonly;
}
