import { z } from "zod";
import {
  responseHeaders as declaredHeaders,
  dryRunResponseSchema,
  offersDryRun,
  responseSchema,
} from "@/lib/access/endpoints/declaration";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import {
  GLOBAL_SCOPE,
  isUnscopedResource,
  SCOPE_TABLE,
  SIGNING_SCOPE,
  UNSCOPED_RESOURCES,
} from "@/lib/access/identity/scopes";
import { filterDescription, MAX_VALUES, repeatedValueSchema } from "@/lib/platform/http/query";
import { ANY_TYPE } from "@/lib/platform/http/response";
import type { SchemaNames } from "./components";
import {
  COMMON_HEADERS,
  type ErrorResponseName,
  errorResponseWithStatus,
  referToErrorResponses,
  referToHeaders,
} from "./error-responses";
import { type Direction, toJsonSchema } from "./json-schema";
import type { JsonSchema, MediaType, Operation, Parameter, ResponseObject } from "./schema";

export type Declared = RouteHandler["declaration"];

/** A declared method of a path. */
export interface Route {
  method: string;
  /** The folders of the route: `patients/[id]`. */
  path: string;
  declaration: Declared;
}

const JSON_TYPE = "application/json";
export const SECURITY_SCHEME = "oauth2";

/** Groups of operations that belong to no scope group. */
const OTHER_GROUPS: Readonly<Partial<Record<string, string>>> = {
  oauth2: "Authentication",
  published_events: "Events",
  subscriptions: "Events",
  webhook_listeners: "Events",
  "openapi.json": "Description",
};

/**
 * Describes an operation by the declaration that serves it.
 *
 * @throws if it belongs to no group
 */
export function describeOperation(route: Route, names: SchemaNames): Operation {
  const { declaration, method } = route;
  const { name, summary, deprecated, scope } = declaration;
  const body = describeBody(declaration, names);
  return {
    operationId: operationIdOf(route),
    summary: summary ?? `${name.replaceAll(/[._]/g, " ")}`,
    description: descriptionOf(declaration),
    tags: [groupOf(route)],
    ...(deprecated ? { deprecated } : {}),
    security:
      scope === "public" ? [] : [...new Set([scope, GLOBAL_SCOPE])].map((one) => ({ [SECURITY_SCHEME]: [one] })),
    parameters: [
      ...pathParameters(declaration.params ?? {}),
      ...queryParameters(declaration.query ?? {}),
      ...requestHeaders(declaration, method),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: { ...describeResponses(route, names), ...referToErrorResponses(errorResponsesFor(route)) },
  };
}

/** Returns the description in the declaration, the scope for signing, which OpenAPI has no field for, and the scopes in words. */
function descriptionOf({ description, signs = [], scope }: Declared): string {
  const fields = signs.map((name) => `\`${name}\``).join(" or ");
  const signing = `Signing with ${fields} also requires \`${SIGNING_SCOPE}\` if the token has specific scopes (403 \`insufficient_scope\`).`;
  const needsAnother = signs.length > 0 && scope !== SIGNING_SCOPE && scope !== GLOBAL_SCOPE;
  return [description ?? "", needsAnother ? signing : "", describeAccess(scope)].filter(Boolean).join("\n\n");
}

function describeAccess(scope: Declared["scope"]): string {
  if (scope === "public") return "Needs no access token.";
  return `Needs a token with ${[...new Set([scope, GLOBAL_SCOPE])].map((one) => `\`${one}\``).join(" or ")}.`;
}

/** Converts `patients/[id]` to `/api/2.0/patients/{id}`. Linters reject a trailing slash, which the server ignores. */
export function pathOf(path: string): string {
  return `/api/2.0/${path.replaceAll("[", "{").replaceAll("]", "}")}`;
}

/** Returns the endpoint's name, prefixed for paths that the contract also has below `app/`. */
function operationIdOf({ path, declaration }: Route): string {
  const id = declaration.name.replaceAll(/\W/g, "_");
  return path.startsWith("app/") ? `app_${id}` : id;
}

function groupOf({ path, declaration: { group, scope } }: Route): string {
  if (group) return group;
  const resource = /^system\/(.+)\.\w+$/.exec(scope)?.[1] ?? path.replace(/^app\//, "").split("/")[0] ?? "";
  const name = groupOfResource(resource);
  if (!name) throw new Error(`${path} is in no scope group. Add \`group\` to its declaration.`);
  return name;
}

/** Returns the group of a resource's operations, or an empty text if it is in none. */
export function groupOfResource(resource: string): string {
  if (isUnscopedResource(resource)) return UNSCOPED_RESOURCES[resource];
  const found = Object.entries<{ resources: readonly string[] }>(SCOPE_TABLE).find(([, { resources }]) =>
    resources.includes(resource),
  );
  return found?.[0] ?? OTHER_GROUPS[resource] ?? "";
}

function requestHeaders({ conditional, scope }: Declared, method: string): Parameter[] {
  if (method === "GET") return conditional ? [HEADERS.ifNoneMatch, HEADERS.prefer] : [HEADERS.prefer];
  if (scope === "public") return [HEADERS.prefer];
  return [
    ...(method === "POST" ? [HEADERS.idempotencyKey] : []),
    ...(conditional ? [HEADERS.ifMatch] : []),
    HEADERS.changeReason,
    HEADERS.prefer,
  ];
}

function describeBody({ body }: Declared, names: SchemaNames): Operation["requestBody"] {
  if (!body?.schema && !body?.form) return undefined;
  const content: Record<string, MediaType> = {};
  if (body.schema) content[JSON_TYPE] = { schema: schemaOf(body.schema, "in", names) };
  if (body.form) content[body.form.mediaType] = { schema: describeForm(body.form, names) };
  return { required: true, content };
}

/** Describes a form. Forms are flat, so a field that can't be JSON is a file. */
function describeForm({ schema, mediaType }: { schema: z.ZodType; mediaType: string }, names: SchemaNames): JsonSchema {
  if (mediaType !== "multipart/form-data") return schemaOf(schema, "in", names);
  const { title: _, properties = {}, ...form } = toJsonSchema(schema, "in");
  const fields = Object.entries(properties).map(([name, property]) => {
    const isFile = property.type === "object" || property.not !== undefined;
    return [name, isFile ? FILE : property];
  });
  return { ...form, properties: Object.fromEntries(fields) };
}

const FILE: JsonSchema = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };

function schemaOf(schema: z.ZodType, direction: Direction, names: SchemaNames) {
  return names.name(toJsonSchema(schema, direction), direction);
}

/** Describes the successful responses of an operation. */
function describeResponses({ method, declaration }: Route, names: SchemaNames): Record<string, ResponseObject> {
  const { status, produces } = declaration;
  const schema = responseSchema(declaration);
  const content = produces
    ? Object.fromEntries(produces.map((type) => [type, binary(type)]))
    : schema && { [JSON_TYPE]: { schema: schemaOf(schema, "out", names) } };
  const responses: Record<string, ResponseObject> = {
    [status]: {
      description: DESCRIPTIONS[status] ?? "Done.",
      headers: responseHeaders(declaration, method),
      ...(content ? { content } : {}),
    },
  };
  if (!offersDryRun(declaration)) return responses;
  const dryRun = schemaOf(dryRunResponseSchema(declaration), "out", names);
  const real = responses[200]?.content?.[JSON_TYPE];
  if (real?.schema) real.schema = { anyOf: [real.schema, dryRun] };
  else
    responses[200] = {
      description: DRY_RUN,
      headers: responseHeaders(declaration, method, true),
      content: { [JSON_TYPE]: { schema: dryRun } },
    };
  return responses;
}

const DRY_RUN = "The effects that the write would have. Nothing was written.";
const DESCRIPTIONS: Record<number, string> = { 200: "Done.", 201: "Created.", 204: "Done. The response has no body." };

function binary(mediaType: string): MediaType {
  if (mediaType === ANY_TYPE) return { schema: { type: "string", format: "binary" } };
  return /^text\/|\+xml$|\/xml$/.test(mediaType)
    ? { schema: { type: "string" } }
    : { schema: { type: "string", format: "binary", contentMediaType: mediaType } };
}

/** Returns references to the headers of a successful response. */
function responseHeaders(declared: Declared, method: string, dryRun = false) {
  const isIdempotent = method === "POST" && declared.scope !== "public";
  const { may } = declaredHeaders(declared, { dryRun });
  return referToHeaders([...COMMON_HEADERS, ...may, ...(isIdempotent ? ["Idempotent-Replayed"] : [])]);
}

/** Returns the error responses of an operation: those that follow from its declaration, and those that it names. */
function errorResponsesFor({ method, declaration }: Route): ErrorResponseName[] {
  const { body, scope, params, query, conditional, errors = [] } = declaration;
  if (body?.form && !body.schema) {
    return ["OauthRefused", "OauthClientRefused", "RequestTimeout", "TooLarge", "TooManyRequests", "Unavailable"];
  }
  const writes = method !== "GET";
  const isPost = method === "POST" && scope !== "public";
  const found: (ErrorResponseName | false)[] = [
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
    ...errors.map(errorResponseWithStatus),
  ];
  return [...new Set(found.filter((name) => name !== false))];
}

type Shape = z.ZodRawShape;

/** Describes the parameters of a path, which are IDs and required. */
function pathParameters(params: Shape): Parameter[] {
  const { properties = {} } = toJsonSchema(z.object(params), "in");
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    schema,
  }));
}

/** Describes the parameters of a query. A list is sent by repeating its parameter. */
export function queryParameters(query: Shape): Parameter[] {
  const wire = Object.entries(query).map(([name, schema]) => [name, toWireSchema(schema)] as const);
  const { properties = {}, required = [] } = toJsonSchema(z.object(Object.fromEntries(wire)), "in");
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = toFlag(property);
    const repeats = schema.type === "array";
    return {
      name,
      in: "query",
      ...(required.includes(name) ? { required: true } : {}),
      // A parameter without a description filters by the field of the same name.
      description: description ?? filterDescription({ of: `\`${name}\``, bound: "eq", repeats }),
      ...(repeats ? { style: "form", explode: true } : {}),
      schema,
    };
  });
}

function toWireSchema(schema: z.core.$ZodType): z.core.$ZodType {
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

/** Describes a parameter that is `true` or `false` as a boolean. */
function toFlag(json: JsonSchema): JsonSchema {
  if (json.items) return { ...json, items: toFlag(json.items) };
  if (json.enum?.join() !== "true,false") return json;
  const { enum: _, default: initial, ...rest } = json;
  return { ...rest, type: "boolean", ...(initial === undefined ? {} : { default: String(initial) === "true" }) };
}

const text = (pattern?: string, maxLength?: number): JsonSchema => ({
  type: "string",
  ...(pattern ? { pattern } : {}),
  ...(maxLength ? { maxLength } : {}),
});

/** Request headers of writes and conditional reads. */
const HEADERS = {
  idempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Makes retries safe: for 24 hours, a request with the same key and body returns the first response again, with `Idempotent-Replayed: true`.",
    schema: text("^[\\x21-\\x7e]+$", 255),
  },
  ifMatch: {
    name: "If-Match",
    in: "header",
    description: "The `ETag` of the record as you read it. If the record has changed since, nothing is written (412).",
    schema: text(),
  },
  ifNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "The `ETag` of your copy. If it is current, the response is 304 without a body.",
    schema: text(),
  },
  changeReason: {
    name: "X-Change-Reason",
    in: "header",
    description: "The reason for the change, which is stored in its history.",
    schema: text(undefined, 500),
  },
  prefer: {
    name: "Prefer",
    in: "header",
    description:
      "`handling=strict` rejects unknown query parameters, and values of other types than this document declares (RFC 7240).",
    schema: { type: "string", enum: ["handling=strict", "handling=lenient"] },
  },
} satisfies Record<string, Parameter>;
