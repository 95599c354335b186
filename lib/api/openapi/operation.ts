import { z } from "zod";
import {
  responseHeaders as answerHeadersOf,
  dryRunResponseSchema,
  offersDryRun,
  responseSchema,
} from "@/lib/access/endpoints/declaration";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import { GLOBAL_SCOPE, SCOPE_TABLE, SIGNING_SCOPE } from "@/lib/access/identity/scopes";
import { filterDescription, MAX_VALUES, repeatedValueSchema } from "@/lib/platform/http/query";
import { ANY_TYPE } from "@/lib/platform/http/response";
import type { SchemaNames } from "./components";
import { toJsonSchema, type Way } from "./json-schema";
import { type RefusalName, refer, referToHeaders, refusalOf } from "./refusals";
import type { Answer, JsonSchema, MediaType, Operation, Parameter } from "./schema";

export type Declared = RouteHandler["declaration"];

/** One method of one path, as it is declared. */
export interface Route {
  method: string;
  /** As the folders name it: `patients/[id]`. */
  path: string;
  declaration: Declared;
}

const JSON_TYPE = "application/json";
export const SECURITY_SCHEME = "oauth2";

/** Where an operation stands that belongs to no scope group. */
const OTHER_GROUPS: Readonly<Partial<Record<string, string>>> = {
  oauth2: "Authentication",
  published_events: "Events",
  subscriptions: "Events",
  "openapi.json": "Description",
};

/**
 * One operation of the description, from the declaration that serves it.
 *
 * @throws where it belongs to no group
 */
export function describeOperation(route: Route, names: SchemaNames): Operation {
  const { declaration, method } = route;
  const { name, summary, deprecated, scope } = declaration;
  const description = descriptionOf(declaration);
  const body = bodyOf(declaration, names);
  return {
    operationId: operationIdOf(route),
    summary: summary ?? `${name.replaceAll(/[._]/g, " ")}`,
    ...(description ? { description } : {}),
    tags: [groupOf(route)],
    ...(deprecated ? { deprecated } : {}),
    security:
      scope === "public" ? [] : [...new Set([scope, GLOBAL_SCOPE])].map((one) => ({ [SECURITY_SCHEME]: [one] })),
    parameters: [
      ...pathParameters(declaration.params ?? {}),
      ...queryParameters(declaration.query ?? {}),
      ...headersOf(declaration, method),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: { ...answersOf(route, names), ...refer(refusalsOf(route)) },
  };
}

/** What its declaration says of an operation, and what follows from it that has no place of its own in OpenAPI. */
function descriptionOf({ description, signs = [], scope }: Declared): string {
  const fields = signs.map((name) => `\`${name}\``).join(" or ");
  const signing = `To sign, by ${fields}, a token with specific scopes takes \`${SIGNING_SCOPE}\` as well (403 \`insufficient_scope\`).`;
  const needsAnother = signs.length > 0 && scope !== SIGNING_SCOPE;
  return [description ?? "", needsAnother ? signing : ""].filter(Boolean).join("\n\n");
}

/** `patients/[id]` is `/api/2.0/patients/{id}/`; a file has no slash behind it. */
export function pathOf(path: string): string {
  const end = /\.\w+$/.test(path) ? "" : "/";
  return `/api/2.0/${path.replaceAll("[", "{").replaceAll("]", "}")}${end}`;
}

/** Of the endpoint's name; what is served under the contract's second path is named after that. */
function operationIdOf({ path, declaration }: Route): string {
  const id = declaration.name.replaceAll(/\W/g, "_");
  return path.startsWith("app/") ? `app_${id}` : id;
}

function groupOf({ path, declaration: { group, scope } }: Route): string {
  if (group) return group;
  const resource = /^system\/(.+)\.\w+$/.exec(scope)?.[1] ?? path.replace(/^app\//, "").split("/")[0] ?? "";
  const name = groupOfResource(resource);
  if (!name) throw new Error(`${path} is in no scope group: its declaration has to say its \`group\`.`);
  return name;
}

/** The group of a resource's operations; empty where it is in none. */
export function groupOfResource(resource: string): string {
  const found = Object.entries<{ resources: readonly string[] }>(SCOPE_TABLE).find(([, { resources }]) =>
    resources.includes(resource),
  );
  return found?.[0] ?? OTHER_GROUPS[resource] ?? "";
}

function headersOf({ conditional, scope }: Declared, method: string): Parameter[] {
  if (method === "GET") return conditional ? [HEADERS.ifNoneMatch] : [];
  if (scope === "public") return [];
  return [
    ...(method === "POST" ? [HEADERS.idempotencyKey] : []),
    ...(conditional ? [HEADERS.ifMatch] : []),
    HEADERS.changeReason,
  ];
}

function bodyOf({ body }: Declared, names: SchemaNames): Operation["requestBody"] {
  if (!body?.schema && !body?.form) return undefined;
  const content: Record<string, MediaType> = {};
  if (body.schema) content[JSON_TYPE] = { schema: schemaOf(body.schema, "in", names) };
  if (body.form) content[body.form.mediaType] = { schema: formOf(body.form, names) };
  return { required: true, content };
}

/** A form has its fields flat: one that can't be JSON is a file. */
function formOf({ schema, mediaType }: { schema: z.ZodType; mediaType: string }, names: SchemaNames): JsonSchema {
  if (mediaType !== "multipart/form-data") return schemaOf(schema, "in", names);
  const { title: _, properties = {}, ...form } = toJsonSchema(schema, "in");
  const fields = Object.entries(properties).map(([name, property]) => {
    const isFile = property.type === "object" || property.not !== undefined;
    return [name, isFile ? FILE : property];
  });
  return { ...form, properties: Object.fromEntries(fields) };
}

const FILE: JsonSchema = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };

function schemaOf(schema: z.ZodType, way: Way, names: SchemaNames) {
  return names.name(toJsonSchema(schema, way), way);
}

/** What an operation answers where all goes well. */
function answersOf({ method, declaration }: Route, names: SchemaNames): Record<string, Answer> {
  const { status, produces } = declaration;
  const schema = responseSchema(declaration);
  const content = produces
    ? Object.fromEntries(produces.map((type) => [type, binary(type)]))
    : schema && { [JSON_TYPE]: { schema: schemaOf(schema, "out", names) } };
  const answers: Record<string, Answer> = {
    [status]: {
      description: DONE[status] ?? "Done.",
      headers: headersOfAnswer(declaration, method),
      ...(content ? { content } : {}),
    },
  };
  if (!offersDryRun(declaration)) return answers;
  const dryRun = schemaOf(dryRunResponseSchema(declaration), "out", names);
  const real = answers[200]?.content?.[JSON_TYPE];
  if (real?.schema) real.schema = { anyOf: [real.schema, dryRun] };
  else
    answers[200] = {
      description: DRY_RUN,
      headers: headersOfAnswer(declaration, method, true),
      content: { [JSON_TYPE]: { schema: dryRun } },
    };
  return answers;
}

const DRY_RUN = "What the write would do, to a dry run. Nothing was written.";
const DONE: Record<number, string> = { 200: "Done.", 201: "Created.", 204: "Done; there is nothing to tell." };

function binary(mediaType: string): MediaType {
  if (mediaType === ANY_TYPE) return { schema: { type: "string", format: "binary" } };
  return /^text\/|\+xml$|\/xml$/.test(mediaType)
    ? { schema: { type: "string" } }
    : { schema: { type: "string", format: "binary", contentMediaType: mediaType } };
}

/** The headers of an answer where all went well. */
function headersOfAnswer(declared: Declared, method: string, dryRun = false) {
  const isKept = method === "POST" && declared.scope !== "public";
  const { may } = answerHeadersOf(declared, { dryRun });
  return referToHeaders(["X-Request-Id", ...may, ...(isKept ? ["Idempotent-Replayed"] : [])]);
}

/** The refusals an operation can come to: those of its declaration, and those it names. */
function refusalsOf({ method, declaration }: Route): RefusalName[] {
  const { body, scope, params, query, conditional, refusals = [] } = declaration;
  if (body?.form && !body.schema) {
    return ["OauthRefused", "OauthClientRefused", "RequestTimeout", "TooLarge", "TooManyRequests", "Unavailable"];
  }
  const writes = method !== "GET";
  const isPost = method === "POST" && scope !== "public";
  const found: (RefusalName | false)[] = [
    (scope !== "public" || query !== undefined) && "BadRequest",
    scope !== "public" && "NotAuthenticated",
    scope !== "public" && "InsufficientScope",
    params !== undefined && "NotFound",
    isPost && "Conflict",
    writes && conditional === true && "VersionConflict",
    !writes && conditional === true && "NotModified",
    body !== undefined && "RequestTimeout",
    body !== undefined && "TooLarge",
    body !== undefined && "UnsupportedMediaType",
    isPost && "Unprocessable",
    "TooManyRequests",
    (scope !== "public" || params !== undefined) && "Unavailable",
    ...refusals.map(refusalOf),
  ];
  return [...new Set(found.filter((name) => name !== false))];
}

type Shape = z.ZodRawShape;

/** The parameters of a path: ids, all required. */
function pathParameters(params: Shape): Parameter[] {
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
const HEADERS = {
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
