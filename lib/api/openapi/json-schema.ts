import { z } from "zod";
import type { JsonSchema } from "./schema";

/** The direction of a value: parameters and request bodies come in, responses go out. */
export type Direction = "in" | "out";

/** Formats that make Zod's pattern for them redundant. */
const FORMATS_WITHOUT_PATTERN = new Set(["date", "date-time", "uuid", "uri"]);

/**
 * Converts a Zod schema to the JSON Schema of the value on the wire. For a transformed value, that is the value before the
 * transformation, in responses too, because they are validated by the same schemas.
 */
export function toJsonSchema(schema: z.core.$ZodType, direction: Direction): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    target: "draft-2020-12",
    io: direction === "in" ? "input" : "output",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => adjust(zodSchema, jsonSchema, direction),
  });
  // Zod's type also allows what older drafts have, such as `true` for a schema. For this target it writes none of it.
  return simplify(json as JsonSchema);
}

function adjust(schema: z.core.$ZodType, json: z.core.JSONSchema.BaseSchema, direction: Direction): void {
  // Times without a zone are accepted, but clients should send one.
  if (schema instanceof z.ZodISODateTime) json.format = "date-time";
  if (schema instanceof z.ZodPipe) adjustPipe(schema, json, direction);
  // Zod omits the default of a transformed value, because it is one after the transformation. Simple values are the same before it.
  if (schema instanceof z.ZodDefault && direction === "in" && isSimple(schema._zod.def.defaultValue))
    json.default ??= schema._zod.def.defaultValue;
  // The fallback for an invalid value is not something to send.
  if (schema instanceof z.ZodCatch) delete json.default;
  // The bytes of an upload are not JSON. Only forms have them.
  if (schema instanceof z.ZodCustom) json.not = {};
  // `contentEncoding` says this. `base64` is not a registered format.
  if (json.format === "base64") delete json.format;
  if (json.type === "number" && [json.enum ?? json.const].flat().every(Number.isInteger)) json.type = "integer";
  if (json.format && FORMATS_WITHOUT_PATTERN.has(json.format)) delete json.pattern;
  // Generators of clients can't name a value without characters.
  if (json.enum?.includes("")) json["x-enum-varnames"] = json.enum.map(nameOfValue);
  // The pattern of a number or flag in a URL adds nothing to its type.
  if (json.type === "integer" || json.type === "boolean") delete json.pattern;
  // Linters take the payload of a webhook for a request, which must not have such fields. The input says which they are.
  if (direction === "out") delete json.readOnly;
  if (direction === "out") removeSafeBounds(json);
}

/** Names a value of an enumeration in the same way as generators do: `INTERNATIONAL_UNITE`, `_6736007`. */
function nameOfValue(value: unknown): string {
  return value === ""
    ? "EMPTY"
    : String(value)
        .replaceAll(/\W+/g, "_")
        .replace(/^(?=\d)/, "_")
        .toUpperCase();
}

function isSimple(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Removes the bounds of safe integers, which every number in a response is within. */
function removeSafeBounds(json: z.core.JSONSchema.BaseSchema): void {
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
}

/** Describes a pipe by its input, and adds the bounds of a number from its output. */
function adjustPipe(pipe: z.ZodPipe, json: z.core.JSONSchema.BaseSchema, direction: Direction): void {
  const { in: from, out: to } = pipe._zod.def;
  const original = { ...json };
  if (direction === "out" && to instanceof z.ZodTransform) Object.assign(json, toJsonSchema(from, direction), original);
  if (to instanceof z.ZodNumber && direction === "in") {
    const { minimum, maximum } = toJsonSchema(to, direction);
    Object.assign(json, minimum === undefined ? {} : { minimum }, maximum === undefined ? {} : { maximum });
  }
}

/** Simplifies a schema and its parts: a simple type or null becomes a list of types. */
function simplify(schema: JsonSchema): JsonSchema {
  const mapped = mapParts(schema, simplify);
  const [value, nullType, ...others] = mapped.anyOf ?? [];
  if (!value || !nullType || others.length > 0 || Object.keys(nullType).join() !== "type" || nullType.type !== "null") {
    return withoutImpossible(mapped);
  }
  if (typeof value.type !== "string" || value.enum || value.type === "object" || value.type === "array") return mapped;
  const { anyOf: _, ...rest } = mapped;
  return { ...value, ...rest, type: [value.type, "null"] };
}

/** Leaves out alternatives that no JSON value can match. */
function withoutImpossible(schema: JsonSchema): JsonSchema {
  const possible = schema.anyOf?.filter((part) => !(part.not && Object.keys(part.not).length === 0));
  if (!possible || possible.length === schema.anyOf?.length) return schema;
  const { anyOf: _, ...rest } = schema;
  return possible.length === 1 ? { ...possible[0], ...rest } : { ...rest, anyOf: possible };
}

/** Returns a schema with each schema directly in it replaced. */
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
