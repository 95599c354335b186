// Values of a JSON Schema, by fast-check: what it needs alone, everything it can hold, or anything between.
import fc, { type Arbitrary } from "fast-check";
import type { JsonSchema } from "@/lib/api/openapi/schema";

export type Size = "minimal" | "maximal" | "any";

export interface Making {
  schemas: Readonly<Record<string, JsonSchema>>;
  size: Size;
  /** Values of fields that mean something beyond their schema, by name, or by `outer.name`; undefined leaves a field out. */
  known: Readonly<Record<string, unknown>>;
}

const REF = "#/components/schemas/";
const LONGEST = 60;
const DEEPEST = 8;

/** The schema a reference leads to. */
export function resolved(schema: JsonSchema, { schemas }: Pick<Making, "schemas">): JsonSchema {
  return schema.$ref ? resolved(schemas[schema.$ref.slice(REF.length)] ?? {}, { schemas }) : schema;
}

/** Values a schema allows. */
export function valuesOf(given: JsonSchema, making: Making, at: readonly string[] = []): Arbitrary<unknown> {
  const schema = resolved(given, making);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (alternatives) {
    const filled = alternatives.filter(({ type }) => type !== "null");
    const wanted = making.size === "any" ? alternatives : [(filled[0] ?? alternatives[0]) as JsonSchema];
    return fc.oneof(...wanted.map((one) => valuesOf(one, making, at)));
  }
  if (schema.allOf) return valuesOf(schema.allOf[0] as JsonSchema, making, at);
  const [type] = [schema.type].flat();
  if (type === "object") return objectOf(schema, making, at);
  if (type === "array") return listOf(schema, making, at);
  if (type === "integer") return integerOf(schema, making);
  if (type === "number") return fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((number) => number + 0);
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  if (type === "string") return textOf(schema, making);
  return fc.jsonValue({ maxDepth: 1, noUnicodeString: true });
}

function objectOf(schema: JsonSchema, making: Making, at: readonly string[]): Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const entries = Object.entries(properties) as [string, JsonSchema][];
  const kept = entries.filter(([name, field]) => {
    if (field.readOnly || resolved(field, making).not) return false;
    const known = knownOf(name, at, making);
    if (known && known.value === undefined) return false;
    return required.includes(name) || (making.size !== "minimal" && at.length < DEEPEST);
  });
  const shape = kept.map(([name, field]) => {
    const known = knownOf(name, at, making);
    return [name, known ? fc.constant(known.value) : valuesOf(field, making, [...at, name])] as const;
  });
  const always =
    making.size === "any" ? kept.map(([name]) => name).filter((name) => required.includes(name)) : undefined;
  const own = fc.record(Object.fromEntries(shape), always ? { requiredKeys: always } : {});
  if (entries.length > 0 || typeof additionalProperties !== "object") return own;
  if (making.size === "minimal") return fc.constant({});
  return fc.dictionary(fc.constantFrom("first", "second"), valuesOf(additionalProperties, making, [...at, "*"]), {
    noNullPrototype: true,
  });
}

/** An example with what only its reader can know in the place of what it made up: ids of records there are. */
export function filledIn(example: unknown, making: Pick<Making, "known">, at: readonly string[] = []): unknown {
  if (Array.isArray(example)) return example.map((entry) => filledIn(entry, making, at));
  if (typeof example !== "object" || example === null) return example;
  const fields = Object.entries(example).map(([name, value]) => {
    const known = knownOf(name, at, making);
    return [name, known ? known.value : filledIn(value, making, [...at, name])];
  });
  return Object.fromEntries(fields);
}

function knownOf(name: string, at: readonly string[], { known }: Pick<Making, "known">): { value: unknown } | null {
  const path = [...at, name].filter((step) => step !== "[]");
  for (const key of [path.join("."), `${at.at(-1)}.${name}`, name]) if (key in known) return { value: known[key] };
  return null;
}

function listOf(schema: JsonSchema, making: Making, at: readonly string[]): Arbitrary<unknown> {
  const { items, minItems = 0, maxItems = 3 } = schema;
  const entry = valuesOf((items as JsonSchema | undefined) ?? {}, making, [...at, "[]"]);
  const least = making.size === "maximal" ? Math.max(minItems, Math.min(2, maxItems)) : minItems;
  const most = making.size === "minimal" ? least : Math.max(least, Math.min(3, maxItems));
  return fc.array(entry, { minLength: least, maxLength: most });
}

function integerOf({ minimum, maximum, exclusiveMinimum }: JsonSchema, { size }: Making): Arbitrary<number> {
  const least = minimum ?? (typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : -1_000);
  const most = Math.max(least, maximum ?? 1_000);
  return size === "any" ? fc.integer({ min: least, max: most }) : fc.constant(Math.max(least, Math.min(most, 1)));
}

const day = fc.date({ min: new Date("1900-01-01"), max: new Date("2100-12-31"), noInvalidDate: true });

function textOf(schema: JsonSchema, { size }: Making): Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = LONGEST } = schema;
  if (format === "date-time") return day.map((date) => date.toISOString());
  if (format === "date") return day.map((date) => date.toISOString().slice(0, 10));
  if (format === "email") return fc.constantFrom("a@example.org", "maria.lopez+x@example.com");
  if (format === "uri") return fc.constantFrom("https://example.org/a", "https://example.com/b?c=d");
  if (format === "uuid") return fc.uuid();
  // What is random in a pattern is rarely what it means: few digits are.
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter((text) => /\d/.test(text) && text.length < 20);
  const most = Math.max(minLength, Math.min(maxLength, LONGEST));
  if (size === "maximal") return fc.constant("x".repeat(Math.max(minLength, Math.min(maxLength, 500))));
  return fc
    .string({ unit: "grapheme", minLength: size === "minimal" ? Math.max(1, minLength) : minLength, maxLength: most })
    .filter((text) => text.length <= most && text.length >= minLength);
}

export interface BrokenBody {
  what: string;
  /** The fields that an answer has to name. */
  fields: readonly string[];
  body: unknown;
}

/** Bodies that a schema forbids: without what it requires, with values of other types, or with texts that are too long. */
export function brokenBodies(given: JsonSchema, valid: object, making: Making): BrokenBody[] {
  const schema = resolved(given, making);
  const written = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).filter(
    ([, field]) => !field.readOnly,
  );
  const otherTypes = written.flatMap(([name, field]) => {
    const value = wrongFor(field, making);
    return value === undefined ? [] : [[name, value] as const];
  });
  const tooLong = written.flatMap(([name, field]) => {
    const [one] = optionsOf(field, making);
    return one?.maxLength && !one.format ? [[name, "x".repeat(one.maxLength + 1)] as const] : [];
  });
  const required = schema.required ?? [];
  const others = Object.entries(valid).filter(([name]) => !required.includes(name));
  const broken = (what: string, changes: readonly (readonly [name: string, value: unknown])[]): BrokenBody => ({
    what,
    fields: changes.map(([name]) => name),
    body: { ...valid, ...Object.fromEntries(changes) },
  });
  return [
    { what: "without what is required", fields: required, body: Object.fromEntries(others) },
    broken("fields of other types", otherTypes),
    broken("texts that are too long", tooLong),
  ].filter(({ fields }) => fields.length > 0);
}

function optionsOf(field: JsonSchema, making: Making): JsonSchema[] {
  const schema = resolved(field, making);
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  return (alternatives ?? [schema]).map((one) => resolved(one, making)).filter(({ type }) => type !== "null");
}

function wrongFor(field: JsonSchema, making: Making): unknown {
  const options = optionsOf(field, making);
  const types = options.map(({ type }) => type);
  if (types.some((type) => type === undefined) && !options.some((one) => one.enum)) return undefined;
  if (types.includes("object") || types.includes("array")) return types.includes("string") ? undefined : "x";
  return { wrong: true };
}
