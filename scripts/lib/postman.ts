// A Postman collection of the API. A converter makes it from the OpenAPI document; this adds what makes it run.
import type { OpenApiDocument } from "@/lib/api/openapi/schema";
import { sampleOf } from "@/lib/api/openapi/snippets";

/** The parts of a collection (schema 2.1.0) that are changed here. */
export interface PostmanCollection {
  item: PostmanFolder[];
  auth?: object;
  event?: object[];
  variable?: { key: string; value: string }[];
}
export interface PostmanFolder {
  name: string;
  item: PostmanItem[];
}
export interface PostmanItem {
  name: string;
  request: {
    method: string;
    url: { path: string[]; variable: { key: string; value: string }[] };
    auth?: unknown;
    body?: { raw?: string; urlencoded?: { key: string; value: string }[] };
  };
  response?: unknown[];
}

/** The folders that find the records which bodies of other folders name. */
const FIRST = ["Authentication", "Practice"];

const OPTIONS = {
  folderStrategy: "Tags",
  nestedFolderHierarchy: false,
  parametersResolution: "Example",
  enableOptionalParameters: false,
  includeResponses: false,
  optimizeConversion: false,
  stackLimit: 50,
} as const;

/**
 * Converts the OpenAPI document to a Postman collection that runs from top to bottom: it gets a token, lists find the record that later
 * requests name, and what a request creates is deleted again.
 *
 * @throws if the converter rejects the document
 */
export async function toPostmanCollection(document: OpenApiDocument): Promise<PostmanCollection> {
  const collection = await convert(document);
  const folders = collection.item.map(({ name, item }) => ({
    name,
    item: item.map(adjust).toSorted((one, other) => compare(placeOf(one), placeOf(other))),
  }));
  const isFirst = ({ name }: PostmanFolder) => FIRST.includes(name);
  return {
    ...collection,
    item: [...folders.filter(isFirst), ...folders.filter((folder) => !isFirst(folder))],
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{access_token}}", type: "string" }] },
    event: [script("prerequest", PREPARE), script("test", CHECK)],
    variable: [
      { key: "baseUrl", value: "http://localhost:3000" },
      { key: "client_id", value: "" },
      { key: "client_secret", value: "" },
    ],
  };
}

/** Sample values that replace the smallest one. By then, an earlier request has deleted the front of the card as a policy's image. */
const EXAMPLES: Readonly<Record<string, string>> = { side: "2" };

async function convert(document: OpenApiDocument): Promise<PostmanCollection> {
  const { convertV2 } = await import("openapi-to-postmanv2");
  const data = structuredClone(document);
  const operations = Object.values(data.paths).flatMap((methods) => Object.values(methods));
  const parameters = [...operations.flatMap((one) => one.parameters), ...Object.values(data.components.parameters)];
  // The converter would invent another value each time.
  for (const one of parameters) {
    if (!("schema" in one)) continue;
    Object.assign(one, { example: EXAMPLES[one.name] ?? sampleOf(one.schema, one.name) });
  }
  const input = { type: "json" as const, data };
  return new Promise((resolve, reject) =>
    convertV2(input, OPTIONS, (error, result) => {
      const [output] = result?.output ?? [];
      if (error || !result?.result || !output) reject(error ?? new Error(result?.reason));
      else resolve(output.data as unknown as PostmanCollection);
    }),
  );
}

/** Returns the segments of a path below /api/2.0. Some paths are repeated below `app`. */
function segmentsOf({ request }: PostmanItem): string[] {
  return request.url.path.filter((part) => !["", "api", "2.0", "app"].includes(part));
}

/** Fields of bodies that name a record which every practice has, and its variable. */
const REFERENCES: Readonly<Record<string, string>> = {
  patient: "patients_id",
  practice: "practices_id",
  authoring_practice: "practices_id",
  caregiver_practice: "practices_id",
  practice_created: "practices_id",
  physician: "physicians_id",
  primary_physician: "physicians_id",
  signed_by: "physicians_id",
};

/** The fields of the forms that get, inspect and revoke tokens. The token is another one, because the collection still needs its own. */
const FORM_VALUES: Readonly<Record<string, string>> = {
  grant_type: "client_credentials",
  client_id: "{{client_id}}",
  client_secret: "{{client_secret}}",
  token: "another-token",
};

/** Names the records and the client in a body by variables. */
function adjustBody({ raw, urlencoded, ...body }: NonNullable<PostmanItem["request"]["body"]>) {
  const named = raw?.replaceAll(/"(\w+)": \d+(?=[,\n])/g, (field, name: string) =>
    Object.hasOwn(REFERENCES, name) ? `"${name}": {{${REFERENCES[name]}}}` : field,
  );
  const form = urlencoded?.flatMap((one) => {
    const value = FORM_VALUES[one.key];
    return value === undefined ? [] : [{ ...one, value, disabled: false }];
  });
  return { ...body, ...(named === undefined ? {} : { raw: named }), ...(form ? { urlencoded: form } : {}) };
}

/** Parameters that have another value for each resource. */
const NAMED_BY_RESOURCE = new Set(["id", "file_id"]);

/** Gives a request the token of the collection, and names the records that it is about by variables. */
function adjust(item: PostmanItem): PostmanItem {
  const { auth: _, body, ...request } = item.request;
  const [resource = ""] = segmentsOf(item);
  const variable = request.url.variable.map((one) => ({
    ...one,
    value: `{{${NAMED_BY_RESOURCE.has(one.key) ? `${resource}_${one.key}` : one.key}}}`,
  }));
  const sent = body ? { body: adjustBody(body) } : {};
  return { ...item, request: { ...request, ...sent, url: { ...request.url, variable } }, response: [] };
}

/** The segments of the path of a part below its resource: `{id}/policies/{policy_id}`. */
const DEPTH_OF_PARTS = 3;
const ORDER = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/**
 * Returns where a request runs: by resource, first the list, then the records and parts of an existing record, and last what creates a record,
 * changes it and deletes it.
 */
function placeOf(item: PostmanItem): (string | number)[] {
  const [resource = "", ...rest] = segmentsOf(item);
  const { method } = item.request;
  const isRead = method === "GET";
  const step = rest.length === 0 ? (isRead ? 0 : 2) : rest.length === 1 && !isRead ? 3 : 1;
  // Before a part is deleted, its own parts are.
  const isOwner = method === "DELETE" && rest.length <= DEPTH_OF_PARTS;
  return [resource, step, ORDER.indexOf(method), Number(isOwner), rest.join("/")];
}

function compare(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  if (at < 0) return 0;
  return (one[at] as string) < (other[at] as string) ? -1 : 1;
}

const script = (listen: string, exec: string) => ({
  listen,
  script: { type: "text/javascript", exec: exec.split("\n") },
});

/** Runs in Postman before each request. */
const PREPARE = `
const sent = [...pm.request.url.variables.all().map(({ value }) => value), pm.request.body?.raw ?? ""].join();
const named = [...sent.matchAll(/{{(.+?)}}/g)].map(([, name]) => name);
if (named.some((name) => !pm.variables.get(name))) pm.execution.skipRequest();
const [client_id, client_secret] = ["client_id", "client_secret"].map((name) => pm.variables.get(name));
if (!pm.variables.get("access_token") && client_id) {
  const form = Object.entries({ grant_type: "client_credentials", client_id, client_secret });
  const urlencoded = form.map(([key, value]) => ({ key, value }));
  const url = pm.variables.get("baseUrl") + "/api/2.0/oauth2/token/";
  pm.sendRequest({ url, method: "POST", body: { mode: "urlencoded", urlencoded } }, (error, response) => {
    if (!error) pm.collectionVariables.set("access_token", response.json().access_token);
  });
}`.trim();

/** Runs in Postman after each request. */
const CHECK = `
pm.test(pm.request.method + " " + pm.info.requestName, () => pm.expect(pm.response.code).to.be.within(200, 299));
const [resource, ...rest] = pm.request.url.path.filter((part) => !["", "api", "2.0", "app"].includes(part));
const name = resource + "_id";
const isJson = pm.response.headers.get("content-type")?.includes("json") && pm.response.code < 300;
const body = isJson ? pm.response.json() : {};
const set = (key, value) => pm.collectionVariables.set(key, value);
if (rest.length === 0 && pm.request.method === "GET" && !pm.variables.get(name)) {
  const [first] = body.results ?? [];
  if (first) set(name, first.id);
}
if (rest.length === 0 && pm.request.method === "POST" && body.id) {
  set(name + "_before", pm.variables.get(name));
  set(name, body.id);
}
if (rest.length === 1 && pm.request.method === "DELETE") set(name, pm.variables.get(name + "_before"));`.trim();
