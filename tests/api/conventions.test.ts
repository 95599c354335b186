// Conventions of all operations: unknown paths, HEAD, request IDs, caching, limits, media types. operation-contract tests
// how each of them handles wrong requests.
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { type Basics, call, seedBasics, seedPatient } from "@/tests/support/api";
import { ENDPOINTS, METHODS } from "@/tests/support/world";

process.env.MAX_BODY_BYTES = "65536";

let basics: Basics;
let token: string;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});

describe("paths", () => {
  test.each([
    "nothing",
    "nothing/1",
    "patients/1/nothing",
    "patients/1/policies/1/nothing/2/",
    "oauth2",
    "constructor",
  ])("404 for %s with every method, with or without a token", async (path) => {
    for (const method of [...METHODS, "OPTIONS"]) {
      const { status, body } = await call(method, path, { token });
      expect([method, status, body]).toEqual([method, 404, { detail: "No such path.", code: "not_found" }]);
      expect((await call(method, path)).status).toBe(404);
    }
    expect((await call("HEAD", path)).status).toBe(404);
  });
});

describe("methods", () => {
  test("HEAD has the status and headers of GET, and no body", async () => {
    const get = await call("GET", `practices/${basics.enabled}`, { token });
    const head = await call("HEAD", `practices/${basics.enabled}`, { token });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
  });
});

describe("X-Request-Id", () => {
  const id = "client-id_0.1";
  const requests: [string, string, string][] = [
    ["200", "GET", "practices/"],
    ["204", "OPTIONS", "practices/"],
    ["404", "GET", "nothing"],
    ["405", "PUT", "practices/"],
    ["415", "POST", "patients/"],
  ];

  test.each(requests)("sent by the client is returned with %s", async (_status, method, path) => {
    const { headers } = await call(method, path, { token, headers: { "x-request-id": id } });
    expect(headers.get("x-request-id")).toBe(id);
    const without = await call(method, path, { headers: { "x-request-id": id } });
    expect(without.headers.get("x-request-id")).toBe(id);
  });

  test.each(["", "short", "x".repeat(65), "with space in it", 'quote"quote', "newline%0Anewline"])(
    "that is malformed is replaced: %j",
    async (sent) => {
      const responses = [
        await call("GET", "practices/", { token, headers: { "x-request-id": sent } }),
        await call("PUT", "practices/", { token, headers: { "x-request-id": sent } }),
      ];
      const ids = responses.map(({ headers }) => headers.get("x-request-id"));
      for (const given of ids) expect(given).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[0]).not.toBe(ids[1]);
    },
  );
});

describe("caching", () => {
  test("is forbidden for every response, because any of them may be patient data", async () => {
    for (const [path, status] of [
      ["patients/", 200],
      [`patients/${patient}`, 200],
      ["patients/0", 404],
      ["patients/?limit=x", 400],
    ] as const) {
      const { headers, status: given } = await call("GET", path, { token });
      expect([given, headers.get("cache-control")]).toEqual([status, "no-store"]);
    }
  });
});

describe("query parameters", () => {
  test("are limited to 200", async () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `p${index}=1`).join("&");
    expect((await call("GET", `patients?${names(200)}`, { token })).status).toBe(200);
    for (const query of [names(201), names(4_000), Array(1_000).fill("limit=1").join("&")]) {
      const { status, body } = await call("GET", `patients?${query}`, { token });
      expect([status, body]).toEqual([400, { non_field_errors: ["The URL has more than 200 query parameters."] }]);
    }
  });
});

describe("forms", () => {
  test("are limited to 100 parts", async () => {
    const form = (parts: number) => {
      const data = new FormData();
      for (let index = 0; index < parts; index++) data.append(`f${index}`, new File([], ""));
      return data;
    };
    const few = await call("POST", "patients/1/policies/1/card-images", { token, body: form(100) });
    expect(JSON.stringify(few.body)).not.toContain("100 parts");
    const many = await call("POST", "patients/1/policies/1/card-images", { token, body: form(101) });
    expect([many.status, many.body]).toEqual([400, { non_field_errors: ["The form has more than 100 parts."] }]);
  });
});

describe("bodies", () => {
  const send = (method: string, path: string, body: string | Uint8Array, type: string | null = "application/json") =>
    call(method, path, { token, body, headers: type === null ? {} : { "content-type": type } });

  test("a body larger than its Content-Length is rejected as it arrives, without reading the rest", async () => {
    let pulled = 0;
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(16_384).fill(32));
      },
      cancel() {
        cancelled = true;
      },
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": "10" };
    const request = new Request("http://localhost:3000/api/2.0/patients/", {
      method: "POST",
      headers,
      body,
      duplex: "half",
    } as RequestInit);
    const route = apiRoutes.find(({ path }) => path === "patients");
    const response = await route?.module.POST?.(request, { params: Promise.resolve({}) });
    expect([response?.status, cancelled]).toEqual([413, true]);
    expect(pulled).toBeLessThan(10);
  });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON;charset=UTF-8",
    'application/json; charset="utf-8"',
  ])("%s is JSON", async (type) => {
    const { status } = await send("PATCH", `patients/${patient}`, "{}", type);
    expect(status).toBe(200);
  });
});

describe("Content-Encoding", () => {
  const patch = (encoding: string, body: string | Uint8Array) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    return call("PATCH", `patients/${patient}`, { token, body, headers });
  };

  test.each(["gzip", "br", "x-gzip", "identity, gzip", "identity;q=1", "identityx"])(
    "%s is a 415",
    async (encoding) => {
      for (const body of ["{}", gzipSync("{}")]) {
        const { status, headers, body: error } = await patch(encoding, body);
        expect([status, headers.get("accept-encoding")]).toEqual([415, "identity"]);
        const detail = "Send the body uncompressed, without Content-Encoding.";
        expect(error).toEqual({ detail, code: "unsupported_media_type" });
      }
    },
  );

  test.each(["identity", "Identity", "identity, identity", ""])("%j is accepted", async (encoding) => {
    const { status, headers } = await patch(encoding, "{}");
    expect([status, headers.get("accept-encoding")]).toEqual([200, null]);
  });

  test("is a 415 for forms with images, too", async () => {
    const body = new FormData();
    body.append("image", new File([], "card.png"));
    const path = `patients/${patient}/policies/1/card-images`;
    const { status } = await call("POST", path, { token, body, headers: { "content-encoding": "gzip" } });
    expect(status).toBe(415);
  });
});

test("every policy write and the legacy patient PUT and PATCH offer dry runs", () => {
  const offered = ENDPOINTS.filter(({ declaration }) => declaration.query && "dry_run" in declaration.query);
  const names = offered.map(({ method, path }) => `${method} ${path}`);
  const policyWrites = ENDPOINTS.filter(({ method, path }) => method !== "GET" && path.includes("/policies"));
  expect(names).toEqual(expect.arrayContaining(policyWrites.map(({ method, path }) => `${method} ${path}`)));
  expect(names).toEqual(expect.arrayContaining(["PUT patients/[id]", "PATCH patients/[id]"]));
});
