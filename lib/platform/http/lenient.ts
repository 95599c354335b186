import { z } from "zod";
import { DECIMAL_FORMAT, TIMEZONE_FORMAT } from "./validation";

/** A number without an exponent. */
const NUMERIC = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/**
 * Converts values to the types that a schema declares (ADR 0222), as clients of the contract expect: numbers as strings, decimals as
 * numbers, and an empty string for a nullable enumeration. Returns the same value if there is nothing to convert. Values that stay invalid
 * are left for the schema to reject.
 */
export function toDeclaredForm(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodObject) return convertFields(schema.shape, value);
  if (schema instanceof z.ZodArray) return convertEntries(schema.element, value);
  if (value === "" && schema instanceof z.ZodNullable && takesBlank(schema.unwrap())) return null;
  if (schema instanceof z.ZodPipe) return toDeclaredForm(schema.in, value);
  if (schema instanceof z.ZodUnion) return convertToOption(schema.options, value);
  if (isWrapper(schema)) return convertInner(schema, value);
  if (typeof value === "string" && NUMERIC.test(value) && takesNumbers(schema)) return Number(value);
  if (typeof value === "number" && hasFormat(schema, DECIMAL_FORMAT)) return String(value);
  return value;
}

function convertFields(shape: Readonly<Record<string, z.core.$ZodType>>, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const converted = entries.map(([name, field]) => {
    const declared = Object.hasOwn(shape, name) ? shape[name] : undefined;
    return [name, declared ? toDeclaredForm(declared, field) : field] as const;
  });
  // Object.fromEntries is safe if a client calls a field `__proto__`.
  return converted.some(([, field], index) => field !== entries[index]?.[1]) ? Object.fromEntries(converted) : value;
}

function convertEntries(element: z.core.$ZodType, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const converted = value.map((entry) => toDeclaredForm(element, entry));
  return converted.some((entry, index) => entry !== value[index]) ? converted : value;
}

/** Converts a value to the first form that is valid. */
function convertToOption(options: readonly z.core.$ZodType[], value: unknown): unknown {
  const forms = options.map((option) => ({ option, form: toDeclaredForm(option, value) }));
  return forms.find(({ option, form }) => z.safeParse(option, form).success)?.form ?? value;
}

type Wrapper = z.ZodNullable | z.ZodOptional | z.ZodDefault | z.ZodPrefault | z.ZodReadonly;

function isWrapper(schema: z.core.$ZodType): schema is Wrapper {
  return [z.ZodNullable, z.ZodOptional, z.ZodDefault, z.ZodPrefault, z.ZodReadonly].some(
    (type) => schema instanceof type,
  );
}

function convertInner(schema: Wrapper, value: unknown): unknown {
  return toDeclaredForm(schema.unwrap(), value);
}

/** Returns whether an empty string means null in a nullable field. An empty ID or date is probably a mistake. */
function takesBlank(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodEnum || hasFormat(schema, DECIMAL_FORMAT) || hasFormat(schema, TIMEZONE_FORMAT);
}

function takesNumbers(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNumber) return true;
  return schema instanceof z.ZodLiteral && [...schema.values].some((value) => typeof value === "number");
}

function hasFormat(schema: z.core.$ZodType, format: string): boolean {
  return schema instanceof z.ZodString && z.globalRegistry.get(schema)?.format === format;
}
