import { z } from "zod";
import type { JsonSchema } from "./schema";

/** Which way a value goes: a body or parameter comes in, an answer goes out. */
export type Way = "in" | "out";

/** Formats that say all that Zod's pattern for them says, in a word. */
const SAYS_ITSELF = new Set(["date", "date-time", "uuid", "uri"]);

/**
 * A Zod schema as the JSON Schema of what is on the wire: of a value that is brought to another form, the form it comes in.
 * Answers are checked by the same schemas, so they too are what goes into them.
 */
export function toJsonSchema(schema: z.core.$ZodType, way: Way): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: way === "in" ? "input" : "output",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => mend(zodSchema, jsonSchema, way),
  });
  // Zod's type also allows what older drafts have, such as `true` for a schema. For this target it writes none of it.
  return plain(json as JsonSchema);
}

function mend(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema, way: Way): void {
  // One without a zone is taken too; who writes one writes the zone.
  if (schema instanceof z.ZodISODateTime) json.format = "date-time";
  if (schema instanceof z.ZodPipe) mendPipe(schema, json, way);
  // Zod leaves out the default of what is brought to another form, for it is of that form: a simple one is the same in both.
  if (schema instanceof z.ZodDefault && way === "in" && isSimple(schema._zod.def.defaultValue))
    json.default ??= schema._zod.def.defaultValue;
  // What is read for something that is wrong is nothing to send.
  if (schema instanceof z.ZodCatch) delete json.default;
  // Bytes of an upload are no JSON: the form of the body alone has them.
  if (schema instanceof z.ZodCustom) json.not = {};
  // Its encoding says that (`contentEncoding`); it is no registered format.
  if (json.format === "base64") delete json.format;
  if (json.type === "number" && [json.enum ?? json.const].flat().every(Number.isInteger)) json.type = "integer";
  if (json.format && SAYS_ITSELF.has(json.format)) delete json.pattern;
  // What a number was written as in a URL says nothing beside its type.
  if (json.type === "integer" || json.type === "boolean") delete json.pattern;
  if (way === "out") forgetSafeBounds(json);
}

function isSimple(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** That a whole number is one JSON can carry goes without saying where it is answered. */
function forgetSafeBounds(json: z.core.JSONSchema.BaseSchema): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
}

/** A pipe is described by its beginning, which is what comes in; its end adds the bounds of a number. */
function mendPipe(pipe: z.ZodPipe, json: z.core.JSONSchema.BaseSchema, way: Way): void {
  const { in: from, out: to } = pipe._zod.def;
  const known = { ...json };
  if (way === "out" && to instanceof z.ZodTransform) Object.assign(json, toJsonSchema(from, way), known);
  if (to instanceof z.ZodNumber && way === "in") {
    const { minimum, maximum } = toJsonSchema(to, way);
    Object.assign(json, minimum === undefined ? {} : { minimum }, maximum === undefined ? {} : { maximum });
  }
}

/** Shorter ways to say the same, throughout: a simple type or null is a list of types. */
function plain(schema: JsonSchema): JsonSchema {
  const mapped = mapParts(schema, plain);
  const [value, nothing, ...others] = mapped.anyOf ?? [];
  if (!value || !nothing || others.length > 0 || Object.keys(nothing).join() !== "type" || nothing.type !== "null") {
    return withoutImpossible(mapped);
  }
  if (typeof value.type !== "string" || value.enum || value.type === "object" || value.type === "array") return mapped;
  const { anyOf: _, ...rest } = mapped;
  return { ...value, ...rest, type: [value.type, "null"] };
}

/** Leaves out the alternatives that JSON can't have. */
function withoutImpossible(schema: JsonSchema): JsonSchema {
  const possible = schema.anyOf?.filter((part) => !(part.not && Object.keys(part.not).length === 0));
  if (!possible || possible.length === schema.anyOf?.length) return schema;
  const { anyOf: _, ...rest } = schema;
  return possible.length === 1 ? { ...possible[0], ...rest } : { ...rest, anyOf: possible };
}

/** A schema with each schema directly in it replaced. */
export function mapParts(schema: JsonSchema, change: (part: JsonSchema, name: string) => JsonSchema): JsonSchema {
  const mapped = { ...schema };
  if (schema.properties) {
    mapped.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, part]) => [name, change(part, name)]),
    );
  }
  for (const key of ["items", "propertyNames", "not"] as const) {
    const part = schema[key];
    if (part) mapped[key] = change(part, "");
  }
  if (typeof schema.additionalProperties === "object") {
    mapped.additionalProperties = change(schema.additionalProperties, "");
  }
  for (const key of ["anyOf", "oneOf", "allOf"] as const) {
    const parts = schema[key];
    if (parts) mapped[key] = parts.map((part) => change(part, ""));
  }
  return mapped;
}
