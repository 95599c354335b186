import { z } from "zod";
import { filterDescription, MAX_VALUES, repeatedValueSchema } from "@/lib/platform/http/query";
import { toJsonSchema } from "./json-schema";
import type { JsonSchema, Parameter } from "./schema";

type Shape = z.ZodRawShape;

/** The parameters of a path: ids, all required. */
export function pathParameters(params: Shape): Parameter[] {
  const { properties = {} } = toJsonSchema(z.object(params), "in");
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    schema,
  }));
}

/** The parameters of a query. A list is sent by repeating its parameter. */
export function queryParameters(query: Shape): Parameter[] {
  const wire = Object.entries(query).map(([name, schema]) => [name, onTheWire(schema)] as const);
  const { properties = {}, required = [] } = toJsonSchema(z.object(Object.fromEntries(wire)), "in");
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = flagged(property);
    const repeats = schema.type === "array";
    return {
      name,
      in: "query",
      ...(required.includes(name) ? { required: true } : {}),
      // What says nothing of itself is a filter by the field of its name.
      description: description ?? filterDescription({ of: `\`${name}\``, bound: "eq", repeats }),
      ...(repeats ? { style: "form", explode: true } : {}),
      schema,
    };
  });
}

function onTheWire(schema: z.core.$ZodType): z.core.$ZodType {
  const value = repeatedValueSchema(unwrap(schema));
  return value
    ? z
        .array(value)
        .max(MAX_VALUES)
        .optional()
        .meta(z.globalRegistry.get(schema) ?? {})
    : schema;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? unwrap(schema.unwrap()) : schema;
}

/** A flag is sent as a word, and is true or false. */
function flagged(json: JsonSchema): JsonSchema {
  if (json.items) return { ...json, items: flagged(json.items) };
  if (json.enum?.join() !== "true,false") return json;
  const { enum: _, default: initial, ...rest } = json;
  return { ...rest, type: "boolean", ...(initial === undefined ? {} : { default: String(initial) === "true" }) };
}

const text = (pattern?: string, maxLength?: number): JsonSchema => ({
  type: "string",
  ...(pattern ? { pattern } : {}),
  ...(maxLength ? { maxLength } : {}),
});

/** Headers that writes and conditional reads take (design §4). */
export const HEADERS = {
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes a repetition harmless: for 24 hours the same key with the same body gives the first answer again, with `Idempotent-Replayed: true`.",
    schema: text("^[\\x21-\\x7e]+$", 255),
  },
  ifMatch: {
    name: "If-Match",
    in: "header",
    description: "The `ETag` of the record as you read it: where it has changed since, nothing is written (412).",
    schema: text(),
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of what you have: where it is still that, the answer is a 304 without a body.",
    schema: text(),
  },
  changeReason: {
    name: "X-Change-Reason",
    in: "header",
    description: "Why: kept with the change in its history.",
    schema: text(undefined, 500),
  },
} satisfies Record<string, Parameter>;
