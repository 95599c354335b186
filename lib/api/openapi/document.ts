import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { isRouteHandler } from "@/lib/access/endpoints/endpoint";
import { GLOBAL_SCOPE, type SCOPE_TABLE, SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";
import { subscriptionInput } from "@/lib/events/subscriptions/schema";
import { WEBHOOK_HEADERS, webhookPayload } from "@/lib/events/webhooks/schema";
import type { RouteEntry } from "@/lib/platform/http/route";
import { pascal, SchemaNames, shareParameters } from "./components";
import { addExamples } from "./examples";
import { toJsonSchema } from "./json-schema";
import { describeOperation, groupOfResource, pathOf, type Route, SECURITY_SCHEME } from "./operation";
import { ERROR_SCHEMAS, HEADER_COMPONENTS, refusalAnswers, refusalExamples } from "./refusals";
import type { OpenApiDocument, Operation, Parameter } from "./schema";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * The description of the API in OpenAPI 3.1, from the declarations that serve it: every method of every entry, the webhooks,
 * and nothing else. Of what is alike there is one, by name.
 *
 * @throws where two schemas that differ have the same title
 */
export function describeApi(entries: readonly RouteEntry[]): OpenApiDocument {
  const names = new SchemaNames();
  const paths: Record<string, Record<string, Operation>> = {};
  const routes = routesOf(entries);
  for (const route of routes) {
    const path = pathOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, names) };
  }
  const webhooks = describeWebhooks(routes, names);
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
      responses: refusalAnswers(),
      examples: refusalExamples(),
      securitySchemes: { [SECURITY_SCHEME]: OAUTH },
    },
  };
  addExamples(document);
  return document;
}

/** Every declared method of the entries; the pattern of all other paths is no route. */
export function routesOf(entries: readonly RouteEntry[]): Route[] {
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
  summary: "A clinical practice API, with versioned insurance policies and the way there from legacy insurances.",
  description: [
    "Guides beside this reference: [/docs](/docs).",
    "Every path works with and without its trailing slash. Ids are integers, dates `YYYY-MM-DD`, times ISO 8601 in UTC.",
    "A list has `limit` entries a page; `next` and `previous` lead on. With `offset`, the answer has a `count` too.",
    "In bodies, fields that only the server sets are ignored. Unknown fields are refused on policies and ignored elsewhere.",
    "Every answer carries `X-Request-Id`.",
  ].join("\n\n"),
  license: { name: "MIT", identifier: "MIT" },
};

const GROUP_WORDS: Record<keyof typeof SCOPE_TABLE, string> = {
  "Patient profile": "Who a patient is, and what belongs to their chart for good.",
  "Patient document": "What is written, received and prescribed for a patient.",
  Orders: "Orders of tests, and where they are done.",
  Messaging: "Threads of messages between the people of a practice.",
  Scheduling: "Appointments and what calendars are made of.",
  Insurance: "Policies with their versions and card images, and the companies and plans they name.",
  Billing: "Bills and the codes on them.",
  Practice: "Practices, their people and their own lists.",
  "Reference data": "Lists that are the same for everybody, and only read.",
};

const TAGS = [
  { name: "Authentication", description: "Access tokens: client credentials, revocation, introspection (OAuth 2.0)." },
  ...Object.entries(GROUP_WORDS).map(([name, description]) => ({ name, description })),
  {
    name: "Events",
    description:
      "What was saved and deleted by others: subscriptions, and how events were processed. What is sent stands among the webhooks, with each resource.",
  },
  { name: "Description", description: "This description." },
];

const OAUTH = {
  type: "oauth2",
  description:
    "Client credentials. A token request without `scope` gives `apiv2`, which allows everything; specific scopes are a closed beta, and never go together with `apiv2`.",
  flows: {
    clientCredentials: {
      tokenUrl: "/api/2.0/oauth2/token/",
      scopes: {
        [GLOBAL_SCOPE]: "Everything.",
        ...Object.fromEntries(SPECIFIC_SCOPES.map((scope) => [scope, wordsOf(scope)])),
      },
    },
  },
};

function wordsOf(scope: string): string {
  const [, resource = "", permission] = /^system\/(.+)\.(read|write)$/.exec(scope) ?? [];
  const words = resource.replaceAll(/[_-]/g, " ");
  return permission === "read" ? `Read ${words}.` : `Create, change and delete ${words}.`;
}

export interface DescriptionText {
  /** The description as JSON. */
  text: string;
  /** The same by gzip: a tenth as long. */
  gzipped: Uint8Array;
  /** A weak one, of both: another as soon as a declaration is another. */
  etag: string;
}

const made = new WeakMap<readonly RouteEntry[], DescriptionText>();

/** The description of the API as it is sent. Made when somebody first asks for it, and kept as long as the process. */
export function toDescriptionText(entries: readonly RouteEntry[]): DescriptionText {
  const kept = made.get(entries);
  if (kept) return kept;
  const text = JSON.stringify(describeApi(entries));
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  const description = { text, gzipped: gzipSync(text), etag: `W/"${hash}"` };
  made.set(entries, description);
  return description;
}

/** What is sent to those who subscribed, by resource (OpenAPI 3.1 §4.8.1, design §8). */
function describeWebhooks(routes: readonly Route[], names: SchemaNames): Record<string, { post: Operation }> {
  const { properties = {} } = toJsonSchema(subscriptionInput, "in");
  const resources = properties.resource?.enum ?? [];
  return Object.fromEntries(
    resources
      .map(String)
      .map((resource) => [resource, { post: describeWebhook(resource, recordOf(resource, routes), names) }]),
  );
}

/** The form a resource's records have where GET answers them; some are answered by no path of their own. */
function recordOf(resource: string, routes: readonly Route[]): z.ZodType {
  const record = new RegExp(`^${resource}/\\[\\w+\\]$`);
  const found = routes.find(({ method, path }) => method === "GET" && record.test(path));
  return found?.declaration.response ?? z.looseObject({});
}

function describeWebhook(resource: string, record: z.ZodType, names: SchemaNames): Operation {
  const payload = webhookPayload(resource, record).meta({ title: `${pascal(resource)}Webhook` });
  return {
    operationId: `webhook_${resource.replaceAll(/\W/g, "_")}`,
    summary: `A record of ${resource.replaceAll(/[_-]/g, " ")} was saved or deleted`,
    description: DESCRIPTION,
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
    responses: ANSWERS,
  };
}

const DESCRIPTION =
  "Sent to the `target` of each subscription on the resource, when another client, the staff or an import changed the record. Keep it, answer, then work; the same event may arrive twice. The guide: [/docs/guides/webhooks](/docs/guides/webhooks).";

/** What the receiver's answer means. */
const ANSWERS: Operation["responses"] = {
  "2XX": {
    description: "You have it: sets `processed_date` and `status_code` of the event. The body is thrown away.",
  },
  default: {
    description:
      "Anything else, a redirect, or no complete answer within 10 seconds is a failure: the event is sent again with the same `webhook-id`, for 72 hours.",
  },
};
