// The scope table: 78 resources, 151 scopes, and which of them each endpoint wants (specification, Authentication 5-10).
import { beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { issueToken, verifyClient } from "@/lib/access/clients/commands";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import { GLOBAL_SCOPE, SCOPE_TABLE, SPECIFIC_SCOPES, scopeOfRequest } from "@/lib/access/identity/scopes";
import { call, seedBasics } from "@/tests/support/api";
import { post, seedClient, type TestClient, tokenForm } from "@/tests/support/oauth";

const READ_ONLY = [
  "languages",
  "packaged_medication_labelers",
  "packaged_medications",
  "pharmacies",
  "reference_medications",
];
const RESOURCES = Object.values(SCOPE_TABLE).flatMap(({ resources }) => [...resources] as string[]);
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
/** What answers without a token, and why. */
const PUBLIC: Record<string, string> = {
  "oauth2/token": "the client's credentials are the permission",
  "oauth2/revoke": "the client's credentials are the permission",
  "oauth2/introspect": "the client's credentials are the permission",
  "openapi.json": "how the API is used is no secret",
  "card_images/[key]": "the signature of the link is the permission",
  "files/[file_id]": "the signature of the link is the permission",
};

/** Every method that a route file declares, with a path of it that names nothing. */
const ENDPOINTS = apiRoutes.flatMap(({ path, module }) =>
  METHODS.flatMap((method) => {
    const { declaration } = module[method] as unknown as Partial<RouteHandler>;
    return declaration ? [{ method, path, sample: path.replaceAll(/\[[^\]]+\]/g, "999999999"), declaration }] : [];
  }),
);
const PROTECTED = ENDPOINTS.filter(({ path }) => !(path in PUBLIC));

let client: TestClient;
let tokenOf: (scopes: readonly string[]) => Promise<string>;

beforeAll(async () => {
  const { organisation, enabled } = await seedBasics();
  client = await seedClient({ organisationId: organisation, practices: [enabled] });
  const secretId = (await verifyClient(client.clientId, client.clientSecret))?.secretId ?? 0;
  tokenOf = (scopes) => issueToken({ clientId: client.id, secretId, scopes, lifetimeSeconds: 3600 });
});

describe("the scope table", () => {
  test("has the 78 resources of the specification, five of them for reading alone: 151 scopes", () => {
    expect([RESOURCES.length, new Set(RESOURCES).size]).toEqual([78, 78]);
    expect(new Set(SPECIFIC_SCOPES).size).toBe(151);
    for (const resource of RESOURCES) {
      const own = SPECIFIC_SCOPES.filter((scope) => scope.startsWith(`system/${resource}.`));
      const write = READ_ONLY.includes(resource) ? [] : [`system/${resource}.write`];
      expect(own).toEqual([`system/${resource}.read`, ...write]);
    }
  });

  test("each of its scopes is granted where it is asked for", async () => {
    for (const scope of SPECIFIC_SCOPES) {
      const { status, body } = await post("token", tokenForm(client, { scope }));
      expect([scope, status, body.scope]).toEqual([scope, 200, scope]);
    }
  });

  test("all of its scopes are granted together", async () => {
    const { body } = await post("token", tokenForm(client, { scope: SPECIFIC_SCOPES.join(" ") }));
    expect(body.scope.split(" ")).toEqual(SPECIFIC_SCOPES);
  });
});

describe("the scope of a request", () => {
  test.each(RESOURCES)("%s: read for GET, write for POST, PUT, PATCH and DELETE, nested paths alike", (resource) => {
    for (const path of [resource, `${resource}/`, `${resource}/12`, `${resource}/12/anything/3/`]) {
      expect(scopeOfRequest("GET", path)).toBe(`system/${resource}.read`);
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
        expect(scopeOfRequest(method, path)).toBe(`system/${resource}.write`);
      }
    }
  });

  test.each(["published_events/1", "subscriptions", "signatures", "", "Patients/1", "constructor"])(
    "outside the table it is the global one: %s",
    (path) => {
      for (const method of METHODS) expect(scopeOfRequest(method, path)).toBe(GLOBAL_SCOPE);
    },
  );
});

describe("every endpoint", () => {
  test("wants the scope of its path and method; only the public ones want none", () => {
    for (const { method, path, declaration } of ENDPOINTS) {
      const expected = path in PUBLIC ? "public" : scopeOfRequest(method, path);
      expect([method, path, declaration.scope]).toEqual([method, path, expected]);
    }
    const paths = new Set(ENDPOINTS.map(({ path }) => path));
    expect(Object.keys(PUBLIC).filter((path) => !paths.has(path))).toEqual([]);
  });

  test("of a reference resource is for reading alone", () => {
    const writes = ENDPOINTS.filter(
      ({ path, method }) => READ_ONLY.includes(path.split("/")[0] ?? "") && method !== "GET",
    );
    expect(writes).toEqual([]);
  });

  test("has a name of its own", () => {
    // Paths below `app` are the same endpoints again.
    const own = ENDPOINTS.filter(({ path }) => path !== "[...path]" && !path.startsWith("app/"));
    const names = own.map(({ declaration }) => declaration.name);
    expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
  });

  test.each(PROTECTED.map((endpoint) => [endpoint.method, endpoint.path, endpoint] as const))(
    "%s %s opens to its scope and to apiv2, and to no other",
    async (method, _path, { sample, declaration: { scope } }) => {
      for (const granted of [GLOBAL_SCOPE, scope]) {
        const { status } = await call(method, sample, { token: await tokenOf([granted]) });
        expect([granted, [401, 403, 500].includes(status)]).toEqual([granted, false]);
      }
      const others = SPECIFIC_SCOPES.filter((other) => other !== scope);
      const refused = await call(method, sample, { token: await tokenOf(others) });
      expect([refused.status, refused.body.code]).toEqual([403, "insufficient_scope"]);
      expect(refused.body.detail).toContain(scope);
    },
  );

  test("HEAD wants what GET wants", async () => {
    expect((await call("HEAD", "patients/", { token: await tokenOf(["system/patients.read"]) })).status).toBe(200);
    expect((await call("HEAD", "patients/", { token: await tokenOf(["system/patients.write"]) })).status).toBe(403);
  });
});
