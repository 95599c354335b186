// The API description: valid, complete and correct for every route, with examples that match its schemas.
import { setImmediate } from "node:timers/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020, { type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { describeApi, type OpenApiText, toOpenApiText } from "@/lib/api/openapi/document";
import { pathOf, type Route } from "@/lib/api/openapi/operation";
import { partOf } from "@/lib/api/openapi/part";
import type { MediaType, OpenApiDocument, Operation } from "@/lib/api/openapi/schema";
import { call } from "../support/api";
import { PUBLIC_PATHS } from "../support/contract/operations";
import { SPECIFIED_SCOPES, specifiedScope } from "../support/specified-scopes";
import { ENDPOINTS } from "../support/world";

let document: OpenApiDocument;
let ajv: Ajv2020;
beforeAll(async () => {
  const { status, body, headers } = await call("GET", "openapi.json");
  expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
  document = body;
  ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: "https://example.org/api", components: document.components });
});

const ROUTES = ENDPOINTS;

interface Described extends Operation {
  at: string;
}

const operations = (): Described[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at: `${method.toUpperCase()} ${path}`, ...operation })),
  );

/** Returns the description of a route. */
function operationOf({ path, method }: Route): Operation {
  const found = document.paths[pathOf(path)]?.[method.toLowerCase()];
  if (!found) throw new Error(`${method} ${path} has no description`);
  return found;
}

/** Lists the bodies and responses that have examples, each with its name. */
function mediaOf(operation: Described): [string, MediaType][] {
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const responses = Object.entries(operation.responses).flatMap(([status, described]) =>
    "content" in described
      ? Object.entries(described.content ?? {}).map(([type, media]) => [`${status} ${type}`, media] as const)
      : [],
  );
  return [...bodies, ...responses].map(([name, media]) => [`${operation.at} ${name}`, media]);
}

const resolve = (ref: string): unknown =>
  ref
    .slice(2)
    .split("/")
    .reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], document);

const compiled = new Map<string, ValidateFunction>();

const listViolations = (schema: object, value: unknown): string[] => {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"https://example.org/api#/components/');
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};

describe("the description", () => {
  test("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors ?? []).toEqual([]);
    expect([result.valid, document.openapi]).toEqual([true, "3.1.0"]);
  });

  test("has no broken references and no unused components", () => {
    const text = JSON.stringify(document);
    const refs = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string));
    expect([...refs].filter((ref) => resolve(ref) === undefined)).toEqual([]);
    const shared = ["schemas", "parameters", "headers", "responses", "examples"] as const;
    const names = shared.flatMap((kind) =>
      Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect(names.filter((name) => !refs.has(name))).toEqual([]);
  });

  test("describes every route and nothing else", () => {
    const described = operations().map(({ at }) => at);
    const declared = ROUTES.map(({ method, path }) => `${method} ${pathOf(path)}`);
    expect(described.sort()).toEqual(declared.sort());
    expect(declared.length).toBeGreaterThan(300);
  });

  test("gives each operation a unique name, a summary, a group, a success response and an error response", () => {
    const all = operations();
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
    const groups = new Set(document.tags.map(({ name }) => name));
    for (const { at, summary, tags, responses } of all) {
      expect([at, summary.length > 4, tags.every((tag) => groups.has(tag))]).toEqual([at, true, true]);
      expect([at, Object.keys(responses).some((status) => /^[345]/.test(status))]).toEqual([at, true]);
      expect([at, Object.keys(responses).some((status) => /^2/.test(status))]).toEqual([at, true]);
    }
  });

  test("gives each operation the specification's scope, with the global scope as an alternative", () => {
    for (const route of ROUTES) {
      const scopes = route.path in PUBLIC_PATHS ? [] : [specifiedScope(route.method, route.path), "apiv2"];
      const expected = [...new Set(scopes)].map((scope) => ({ oauth2: [scope] }));
      expect([route.path, operationOf(route).security]).toEqual([route.path, expected]);
    }
    const { flows } = document.components.securitySchemes.oauth2 as {
      flows: { clientCredentials: { scopes: object; tokenUrl: string } };
    };
    expect(Object.keys(flows.clientCredentials.scopes).sort()).toEqual(["apiv2", ...SPECIFIED_SCOPES].sort());
  });

  test("has every parameter that the server reads", () => {
    for (const route of ROUTES) {
      const parameters = operationOf(route).parameters.map((one) => ("$ref" in one ? resolve(one.$ref) : one)) as {
        name: string;
        in: string;
      }[];
      const named = (place: string) => parameters.filter((one) => one.in === place).map(({ name }) => name);
      const { query = {}, scope } = route.declaration;
      expect([route.path, named("path")]).toEqual([
        route.path,
        [...route.path.matchAll(/\[(\w+)\]/g)].map(([, name]) => name),
      ]);
      expect([route.path, named("query")]).toEqual([route.path, Object.keys(query)]);
      const takesKeys = route.method === "POST" && scope !== "public";
      expect([route.path, named("header").includes("Idempotency-Key")]).toEqual([route.path, takesKeys]);
    }
  });

  test("has content for every success status but 204, and a request body for every PUT and for no GET", () => {
    const successes = operations().flatMap(({ at, responses }) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith("2"))
        .map(([status, response]) => ({ name: `${status} ${at}`, hasContent: "content" in response })),
    );
    const wrong = successes.filter(({ name, hasContent }) => hasContent === name.startsWith("204 "));
    // RFC 7009 §2.2 and the contract give these no body.
    expect(wrong.map(({ name }) => name).sort()).toEqual([
      "200 POST /api/2.0/oauth2/revoke",
      "201 POST /api/2.0/patients/{id}/incoming_files",
      "201 POST /api/2.0/patients/{id}/insurance_cards",
    ]);
    for (const { at, requestBody } of operations().filter((operation) => /^(GET|PUT) /.test(operation.at)))
      expect([at, requestBody !== undefined]).toEqual([at, at.startsWith("PUT ")]);
  });

  test("marks the legacy insurances as deprecated, in records and operations", () => {
    const { PatientInput, PatientPatch, Patient } = document.components.schemas;
    for (const schema of [PatientInput, PatientPatch, Patient])
      expect(schema?.properties?.insurances).toMatchObject({ deprecated: true });
    const old = operations().filter(({ at }) => at.includes("insurance_cards"));
    expect(old.map(({ deprecated }) => deprecated)).toEqual([true, true, true]);
  });

  test("contains each record once, under the contract's name", () => {
    const names = Object.keys(document.components.schemas);
    expect(names).toEqual(
      expect.arrayContaining(["PatientAllergy", "Patient", "Policy", "Appointment", "PublishedEvent"]),
    );
    for (const { at, requestBody, responses } of operations()) {
      for (const media of Object.values(requestBody?.content ?? {}))
        expect([at, size(media) < 1_500]).toEqual([at, true]);
      for (const described of Object.values(responses))
        expect([at, JSON.stringify(described).length < 1_500]).toEqual([at, true]);
    }
  });
});

const size = (media: MediaType) => JSON.stringify(media.schema ?? {}).length;

test("each group of the description is valid on its own, and together they are complete", async () => {
  const parts = document.tags.map(({ name }) => partOf(document, name));
  for (const part of parts) {
    expect((await new Validator().validate(JSON.parse(JSON.stringify(part)))).errors ?? []).toEqual([]);
    const text = JSON.stringify(part);
    for (const [, ref = ""] of text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
      const [kind, name] = ref.split("/") as ["schemas", string];
      expect([ref, name in part.components[kind]]).toEqual([ref, true]);
    }
  }
  const count = (one: OpenApiDocument) => Object.values(one.paths).flatMap(Object.values).length;
  expect(parts.reduce((sum, part) => sum + count(part), 0)).toBe(operations().length);
});

describe("the examples", () => {
  test("exist for every JSON body and response and match their schemas", () => {
    let checked = 0;
    const rejected = Object.entries(document.components.responses).flatMap(([name, { content = {} }]) =>
      Object.values(content).map((media) => [name, media] as const),
    );
    for (const [at, media] of [...operations().flatMap(mediaOf), ...rejected]) {
      if (media.schema?.format === "binary") continue;
      const examples = Object.values(media.examples ?? {}).map((example) =>
        "$ref" in example ? resolve(example.$ref) : example,
      ) as { value: unknown }[];
      expect([at, examples.length > 0]).toEqual([at, true]);
      for (const { value } of examples) expect([at, listViolations(media.schema ?? {}, value)]).toEqual([at, []]);
      checked += examples.length;
    }
    expect(checked).toBeGreaterThan(400);
  });

  test("are accepted by the parser of the body and by the check of the response", () => {
    for (const route of ROUTES) {
      const { requestBody, responses } = operationOf(route);
      const { body, response, status } = route.declaration;
      const at = `${route.method} ${route.path}`;
      const sent = exampleOf(requestBody?.content["application/json"]);
      if (body?.schema) expect([at, body.schema.safeParse(sent).error]).toEqual([at, undefined]);
      const described = responses[status];
      const example =
        described && "content" in described ? exampleOf(described.content?.["application/json"]) : undefined;
      if (response && status !== 204) expect([at, response.safeParse(example).error]).toEqual([at, undefined]);
    }
  });
});

function exampleOf(media: MediaType | undefined): unknown {
  const [example] = Object.values(media?.examples ?? {});
  return example && "$ref" in example ? (resolve(example.$ref) as { value: unknown }).value : undefined;
}

describe("GET openapi.json", () => {
  test("is generated in steps, between which the server answers other requests", async () => {
    let text: OpenApiText | undefined;
    void toOpenApiText([...apiRoutes]).then((generated) => {
      text = generated;
    });
    let turns = 0;
    for (; !text; turns++) await setImmediate();
    expect(turns).toBeGreaterThan(ENDPOINTS.length);
    expect(text.text).toBe(JSON.stringify(describeApi(apiRoutes)));
  });

  test("needs no token and returns 304 to a client that has the current version", async () => {
    const first = await call("GET", "openapi.json/");
    const etag = first.headers.get("etag") as string;
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(first.headers.get("cache-control")).toBe("public, max-age=300");
    const again = await call("GET", "openapi.json", { headers: { "if-none-match": `"x", ${etag}` } });
    expect([again.status, again.body.length, again.headers.get("etag")]).toEqual([304, 0, etag]);
    const other = await call("GET", "openapi.json", { headers: { "if-none-match": '"other"' } });
    expect(other.status).toBe(200);
  });

  test.each([
    ["gzip, deflate, br", true],
    ["br;q=1, *;q=0.5", true],
    ["gzip;q=0, *", false],
    ["identity", false],
    ["", false],
  ])("is compressed for clients that accept gzip: %j", async (encoding, isCompressed) => {
    const plain = await call("GET", "openapi.json");
    const compressed = await call("GET", "openapi.json", { headers: { "accept-encoding": encoding } });
    expect(compressed.headers.get("vary")).toBe("Accept-Encoding");
    expect(compressed.headers.get("etag")).toBe(plain.headers.get("etag"));
    expect(compressed.headers.get("content-encoding")).toBe(isCompressed ? "gzip" : null);
    expect(compressed.body).toEqual(plain.body);
  });
});
