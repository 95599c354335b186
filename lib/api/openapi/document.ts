import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { z } from "zod";
import { isRouteHandler } from "@/lib/access/endpoints/endpoint";
import { GLOBAL_SCOPE, type SCOPE_TABLE, SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";
import { subscriptionInput } from "@/lib/events/subscriptions/schema";
import { WEBHOOK_HEADERS, webhookPayload } from "@/lib/events/webhooks/schema";
import type { RouteEntry } from "@/lib/platform/http/route";
import { pascal, SchemaNames, shareParameters } from "./components";
import { ERROR_SCHEMAS, errorExampleComponents, errorResponseComponents, HEADER_COMPONENTS } from "./error-responses";
import { addExamples } from "./examples";
import { toJsonSchema } from "./json-schema";
import { describeOperation, groupOfResource, pathOf, type Route, SECURITY_SCHEME } from "./operation";
import type { OpenApiDocument, Operation, Parameter } from "./schema";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * Generates the OpenAPI 3.1 document from the declarations that serve the API: every method of every entry, and the webhooks.
 * Repeated schemas and parameters become components.
 *
 * @throws if two different schemas have the same title
 */
export function describeApi(entries: readonly RouteEntry[]): OpenApiDocument {
  const steps = describeInSteps(entries);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Does the same in short steps. Together they take seconds, for which a server must not stop answering. */
function* describeInSteps(entries: readonly RouteEntry[]): Generator<void, OpenApiDocument> {
  const names = new SchemaNames();
  const paths: Record<string, Record<string, Operation>> = {};
  const routes = listRoutes(entries);
  for (const route of routes) {
    const path = pathOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, names) };
    yield;
  }
  const webhooks = describeWebhooks(routes, names);
  yield;
  names.nameRepeated();
  const operations = [paths, webhooks].flatMap((all) => Object.values(all)).flatMap((path) => Object.values(path));
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info: INFO,
    servers: [{ url: "/", description: "This server." }],
    tags: TAGS.filter(({ name }) => operations.some(({ tags }) => tags.includes(name))),
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    webhooks,
    components: {
      schemas: { ...ERROR_SCHEMAS, ...byName(names.schemas) },
      parameters: byName(shareParameters(operations.map(({ parameters }) => parameters))),
      headers: HEADER_COMPONENTS,
      responses: errorResponseComponents(),
      examples: errorExampleComponents(),
      securitySchemes: { [SECURITY_SCHEME]: OAUTH },
    },
  };
  yield;
  addExamples(document);
  return document;
}

/** Returns every declared method of the entries, except the catch-all path. */
export function listRoutes(entries: readonly RouteEntry[]): Route[] {
  return entries
    .filter(({ path }) => !path.includes("..."))
    .flatMap(({ path, module }) =>
      METHODS.flatMap((method) => {
        const handler = module[method];
        return isRouteHandler(handler) ? [{ method, path, declaration: handler.declaration }] : [];
      }),
    );
}

function byName<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const INFO = {
  title: "Crosswalk API",
  version: "2.0",
  summary: "A clinical practice API with versioned insurance policies and migration from legacy insurances.",
  description: [
    "Guides: [/docs](/docs).",
    "Every path works with and without its trailing slash. IDs are integers, dates are `YYYY-MM-DD`, times are ISO 8601 in UTC.",
    "Lists are paginated: a page has up to `limit` entries, and `next` and `previous` are the URLs of the adjacent pages. `count` is the number of all entries. Pages by `cursor` do not have it.",
    "In request bodies, fields that only the server sets are ignored. Unknown fields are rejected on policies and ignored elsewhere. Numbers can be sent as strings, decimals as numbers, and an empty string for no value of an enumeration, unless the request has `Prefer: handling=strict`.",
    "Query parameters that an operation does not have are ignored and named in `X-Ignored-Parameters`.",
    "A write with an access token whose parameters do not include `If-Match` rejects this header with 400 `if_match_not_offered`.",
    "Every response has an `X-Request-Id` header.",
  ].join("\n\n"),
  contact: { name: "The operator of this installation" },
  license: { name: "MIT", identifier: "MIT" },
};

const GROUP_DESCRIPTIONS: Record<keyof typeof SCOPE_TABLE, string> = {
  "Patient profile": "Demographics and the long-term parts of the chart, such as allergies and problems.",
  "Patient document": "Notes, reports, letters, files and prescriptions of a patient.",
  Orders: "Laboratory and other orders, and the vendors that fulfill them.",
  Messaging: "Message threads between members of a practice.",
  Scheduling: "Appointments and calendars.",
  Insurance: "Policies with their versions and card images, insurance companies and plans.",
  Billing: "Bills and the codes on them.",
  Practice: "Practices, their members and their lists.",
  "Reference data": "Read-only lists that are the same for every practice.",
};

const TAGS = [
  { name: "Authentication", description: "OAuth 2.0 access tokens: client credentials, revocation and introspection." },
  ...Object.entries(GROUP_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
  {
    name: "Events",
    description:
      "Subscriptions to changes by others, and the delivery of their events. The webhooks of this document describe the payload of each resource.",
  },
  { name: "Description", description: "This OpenAPI document." },
];

const OAUTH = {
  type: "oauth2",
  description:
    "Client credentials. A token request without `scope` returns a token with `apiv2`, which allows everything. Specific scopes are in closed beta and can't be combined with `apiv2`.",
  flows: {
    clientCredentials: {
      tokenUrl: "/api/2.0/oauth2/token/",
      scopes: {
        [GLOBAL_SCOPE]: "Everything.",
        ...Object.fromEntries(SPECIFIC_SCOPES.map((scope) => [scope, describeScope(scope)])),
      },
    },
  },
};

function describeScope(scope: string): string {
  const [, resource = "", permission] = /^system\/(.+)\.(read|write)$/.exec(scope) ?? [];
  const words = resource.replaceAll(/[_-]/g, " ");
  return permission === "read" ? `Read ${words}.` : `Create, update and delete ${words}.`;
}

export interface OpenApiText {
  /** JSON. */
  text: string;
  /** The same text compressed by gzip. */
  gzipped: Uint8Array;
  /** A weak ETag for both. */
  etag: string;
}

const texts = new WeakMap<readonly RouteEntry[], Promise<OpenApiText>>();

/** Returns the OpenAPI document as JSON. The first call generates and caches it, while the server goes on answering other requests. */
export function toOpenApiText(entries: readonly RouteEntry[]): Promise<OpenApiText> {
  const cached = texts.get(entries);
  if (cached) return cached;
  const generated = generateText(entries);
  texts.set(entries, generated);
  return generated;
}

async function generateText(entries: readonly RouteEntry[]): Promise<OpenApiText> {
  const steps = describeInSteps(entries);
  let step = steps.next();
  while (!step.done) {
    await setImmediate();
    step = steps.next();
  }
  const text = JSON.stringify(step.value);
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return { text, gzipped: await promisify(gzip)(text), etag: `W/"${hash}"` };
}

/** Describes the webhooks that subscribers receive, by resource (OpenAPI 3.1 §4.8.1). */
function describeWebhooks(routes: readonly Route[], names: SchemaNames): Record<string, { post: Operation }> {
  const { properties = {} } = toJsonSchema(subscriptionInput, "in");
  const resources = properties.resource?.enum ?? [];
  return Object.fromEntries(
    resources
      .map(String)
      .map((resource) => [resource, { post: describeWebhook(resource, findRecordSchema(resource, routes), names) }]),
  );
}

/** Returns the schema of a resource's records in the response of GET, or any object if it has no such path. */
function findRecordSchema(resource: string, routes: readonly Route[]): z.ZodType {
  const record = new RegExp(`^${resource}/\\[\\w+\\]$`);
  const found = routes.find(({ method, path }) => method === "GET" && record.test(path));
  return found?.declaration.response ?? z.looseObject({});
}

function describeWebhook(resource: string, record: z.ZodType, names: SchemaNames): Operation {
  const payload = webhookPayload(resource, record).meta({ title: `${pascal(resource)}Webhook` });
  return {
    operationId: `webhook_${resource.replaceAll(/\W/g, "_")}`,
    summary: `Changes to ${resource.replaceAll(/[_-]/g, " ")}`,
    description: WEBHOOK_DESCRIPTION,
    tags: [groupOfResource(resource)],
    security: [],
    parameters: Object.entries(WEBHOOK_HEADERS).map(([name, header]): Parameter => {
      const { description = "", ...schema } = toJsonSchema(header, "out");
      return { name, in: "header", required: true, description, schema };
    }),
    requestBody: {
      required: true,
      content: { "application/json": { schema: names.name(toJsonSchema(payload, "out"), "out") } },
    },
    responses: WEBHOOK_RESPONSES,
  };
}

const WEBHOOK_DESCRIPTION =
  "Sent to the `target` of each subscription to the resource when another client, a staff member or a migration changes a record. Store it and respond before you process it. The same event can arrive more than once. An event whose `action` is `test` is from `POST subscriptions/{id}/test` and contains no record. Guide: [/docs/guides/webhooks](/docs/guides/webhooks).";

/** What the receiver's response means. */
const WEBHOOK_RESPONSES: Operation["responses"] = {
  "2XX": {
    description: "Received. Sets `processed_date` and `status_code` of the event. The body is ignored.",
  },
  default: {
    description:
      "Any other status, a redirect, or no complete response within 10 seconds is a failure. The event is retried with the same `webhook-id` for 72 hours.",
  },
};
