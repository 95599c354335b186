// What every endpoint has in common (design §4): paths, methods, media types, sizes, request ids.
import { beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import { type Basics, call, seedBasics, seedPatient } from "@/tests/support/api";
import { snapshot } from "@/tests/support/snapshot";

process.env.MAX_BODY_BYTES = "65536";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const declarationOf = (handler: unknown) => (handler as Partial<RouteHandler>).declaration;
const ROUTES = apiRoutes
  .filter(({ path }) => path !== "[...path]")
  .map(({ path, module }) => ({
    path,
    sample: path.replaceAll(/\[[^\]]+\]/g, "1"),
    declared: METHODS.filter((method) => declarationOf(module[method])),
    module,
  }));
/** Every endpoint that reads a JSON body. */
const BODIES = ROUTES.flatMap(({ path, sample, declared, module }) =>
  declared
    .filter((method) => declarationOf(module[method])?.body?.schema)
    .map((method) => [method, path, sample] as const),
);

let basics: Basics;
let token: string;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});

describe("paths", () => {
  test.each(ROUTES.map(({ path, sample, declared }) => [path, sample, declared] as const))(
    "%s answers alike with and without a trailing slash, and never redirects",
    async (_path, sample, declared) => {
      for (const method of declared.filter((name) => name !== "DELETE")) {
        const bare = await call(method, sample, { token });
        const slashed = await call(method, `${sample}/`, { token });
        expect(slashed.status).toBe(bare.status);
        expect(bare.status < 300 || bare.status >= 400).toBe(true);
        if (bare.status !== 200) expect(slashed.body).toEqual(bare.body);
      }
    },
  );

  test.each([
    "nothing",
    "nothing/1",
    "patients/1/nothing",
    "patients/1/policies/1/nothing/2/",
    "oauth2",
    "constructor",
  ])("404 for %s, whatever the method, with or without a token", async (path) => {
    for (const method of [...METHODS, "OPTIONS"]) {
      const { status, body } = await call(method, path, { token });
      expect([method, status, body]).toEqual([method, 404, { detail: "No such path.", code: "not_found" }]);
      expect((await call(method, path)).status).toBe(404);
    }
    expect((await call("HEAD", path)).status).toBe(404);
  });
});

describe("methods", () => {
  test.each(ROUTES.map(({ path, sample, declared }) => [path, sample, declared] as const))(
    "%s tells in Allow which it has: 405 for the others, 204 for OPTIONS",
    async (_path, sample, declared) => {
      const heads = declared.includes("GET") ? ["HEAD"] : [];
      const allowed = [...declared, ...heads, "OPTIONS"].sort();
      const options = await call("OPTIONS", sample);
      expect(options.status).toBe(204);
      expect(options.headers.get("allow")?.split(", ").sort()).toEqual(allowed);
      for (const method of [...METHODS, "HEAD"].filter((name) => !allowed.includes(name))) {
        const { status, body, headers } = await call(method, sample, { token });
        expect([method, status]).toEqual([method, 405]);
        expect(headers.get("allow")?.split(", ").sort()).toEqual(allowed);
        if (method !== "HEAD") expect(body.code).toBe("method_not_allowed");
      }
    },
  );

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

  test.each(requests)("a client's own is given back with %s", async (_status, method, path) => {
    const { headers } = await call(method, path, { token, headers: { "x-request-id": id } });
    expect(headers.get("x-request-id")).toBe(id);
    const without = await call(method, path, { headers: { "x-request-id": id } });
    expect(without.headers.get("x-request-id")).toBe(id);
  });

  test.each(["", "short", "x".repeat(65), "with space in it", 'quote"quote', "newline%0Anewline"])(
    "one that is not decent is replaced: %j",
    async (sent) => {
      const answers = [
        await call("GET", "practices/", { token, headers: { "x-request-id": sent } }),
        await call("PUT", "practices/", { token, headers: { "x-request-id": sent } }),
      ];
      const ids = answers.map(({ headers }) => headers.get("x-request-id"));
      for (const given of ids) expect(given).toMatch(/^[0-9a-f-]{36}$/);
      expect(ids[0]).not.toBe(ids[1]);
    },
  );
});

describe("caches", () => {
  test("keep no answer: all of it may be patient data", async () => {
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

  test.each(BODIES)(
    "415 where %s %s gets another media type, none, or another charset",
    async (method, _path, sample) => {
      for (const type of [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "application/json; charset=utf-16",
        'application/json; charset="iso-8859-1"',
        "",
      ]) {
        const { status, body } = await send(method, sample, "{}", type);
        expect([type, status, body.code]).toEqual([type, 415, "unsupported_media_type"]);
        expect(body.detail).toContain("application/json");
      }
      expect((await send(method, sample, new TextEncoder().encode("{}"), null)).status).toBe(415);
      expect((await call(method, sample, { token })).status).toBe(415);
    },
  );

  test.each(BODIES)("400 where the body of %s %s is no JSON", async (method, _path, sample) => {
    for (const text of ["{", "{'a': 1}", "[1,]", "undefined", "NaN", '{"a": 01}', '"\u0001"', "\ufeff\ufeff{}"]) {
      const { status, body } = await send(method, sample, text);
      expect([text, status, body.code]).toEqual([text, 400, "invalid_json"]);
    }
    for (const text of ["", "  \n"]) {
      const { status, body } = await send(method, sample, text);
      expect([status, Object.keys(body)]).toEqual([400, ["non_field_errors"]]);
    }
    const latin = Uint8Array.from([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]);
    const { status, body } = await send(method, sample, latin);
    expect([status, body.code]).toEqual([400, "invalid_encoding"]);
  });

  test.each(BODIES)("413 where %s %s gets more than the settings allow", async (method, _path, sample) => {
    const limit = 65_536;
    const text = JSON.stringify({ padding: "x".repeat(limit) });
    const told = await call(method, sample, {
      token,
      body: "{}",
      headers: { "content-type": "application/json", "content-length": String(limit + 1) },
    });
    expect([told.status, told.body.code]).toEqual([413, "payload_too_large"]);
    const streamed = await send(method, sample, text);
    expect([streamed.status, streamed.body.code]).toEqual([413, "payload_too_large"]);
  });

  test("a refused body has stored nothing", async () => {
    const before = await snapshot();
    for (const [method, , sample] of BODIES) await send(method, sample, "{");
    expect(await snapshot()).toEqual(before);
  });

  test("a body that says less than it is, is counted as it comes and not read to its end", async () => {
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

describe("dry runs", () => {
  const writes = ROUTES.flatMap(({ path, sample, declared, module }) =>
    declared
      .filter((method) => method !== "GET")
      .map((method) => ({ method, path, sample, declaration: declarationOf(module[method]) })),
  ).filter(({ declaration }) => declaration?.scope !== "public");
  const offers = writes.filter(({ declaration }) => declaration?.query && "dry_run" in declaration.query);

  test("are offered by every write of policies, and by the legacy patient PUT and PATCH", () => {
    const offered = new Set(offers.map(({ method, path }) => `${method} ${path}`));
    const due = writes.filter(({ path }) => path.includes("/policies"));
    for (const { method, path } of due) expect(offered).toContain(`${method} ${path}`);
    expect(offered).toContain("PUT patients/[id]");
    expect(offered).toContain("PATCH patients/[id]");
  });

  test("are refused where they are not offered: what was to be tried out would be done", async () => {
    const before = await snapshot();
    for (const { method, sample, declaration } of writes.filter((write) => !offers.includes(write))) {
      const { status, body } = await call(method, `${sample}?rank=1&dry_run=true`, { token, body: {} });
      expect([declaration?.name, status, body]).toEqual([declaration?.name, 400, { dry_run: [expect.any(String)] }]);
    }
    expect(await snapshot()).toEqual(before);
  });

  test("are true or false, nothing else", async () => {
    for (const { method, sample } of offers) {
      for (const query of ["dry_run=yes", "dry_run=", "dry_run=1", "dry_run=true&dry_run=false"]) {
        const { status, body } = await call(method, `${sample}?${query}`, { token, body: {} });
        expect([status, Object.keys(body)]).toEqual([400, ["dry_run"]]);
      }
    }
  });
});
