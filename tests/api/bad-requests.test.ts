// Paths, queries and headers of every kind, over HTTP: a 4xx that names what is wrong, never a 5xx (design §4).
import type http from "node:http";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { call } from "@/tests/support/api";
import { VALIDATORS_WORDS } from "@/tests/support/bad-values";
import { snapshot } from "@/tests/support/snapshot";
import { ENDPOINTS, seedWorld, type World } from "@/tests/support/world";

let world: World;
let token: string;
let server: http.Server;
let port: number;

beforeAll(async () => {
  world = await seedWorld();
  token = world.basics.token;
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => {
    res.writeHead(404).end();
  };
  server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  port = await listen(server, { port: 0, host: "127.0.0.1" });
});
afterAll(() => stopServer(server, 1000));

/** A request as the socket takes it: what a web Request would mend or refuse is sent as it is. */
function exchange(
  method: string,
  target: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const all = { host: "localhost", authorization: `Bearer ${token}`, connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1"));
    });
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text }));
  });
}

const SEGMENTS = [
  "0",
  "-1",
  "+1",
  "1e3",
  "1.0",
  "0x1",
  "9223372036854775807",
  "9223372036854775808",
  "99999999999999999999",
  "%00",
  "1%00",
  "%ff",
  "%zz",
  "%",
  "%2e%2e",
  "..%2f1",
  "1%2f1",
  "%F0%9F%92%8A",
  "%D9%A1",
  "null",
  "undefined",
  "NaN",
  "constructor",
  "__proto__",
  "'",
  "1;DROP%20TABLE%20patient",
  "a".repeat(4000),
  "%20",
  "1%20",
  "*",
  "[id]",
  "{id}",
];

/** All methods of a path read its ids by the same code: the others are asked with one of each kind. */
const OF_EACH_KIND = ["-1", "1.0", "9223372036854775808", "1%00", "%ff", "%2e%2e", "constructor", "a".repeat(4000)];

describe("a path parameter that is no id names nothing: 404", () => {
  const addressed = ENDPOINTS.filter(({ path }) => path.includes("["));

  test.each(addressed.map(({ method, path }) => [method, path] as const))("%s %s", async (method, path) => {
    const before = await snapshot();
    for (const [, name] of path.matchAll(/\[([^\]]+)\]/g)) {
      for (const segment of method === "GET" ? SEGMENTS : OF_EACH_KIND) {
        const target = world.at(path.replace(`[${name}]`, "@@")).replace("@@", segment);
        const { status, text } = await exchange(method, `/api/2.0/${target}?rank=1`, { "content-length": "0" });
        // A dot segment makes another path of it; a write that reads its body first says that there is none.
        const expected = segment === "%2e%2e" ? [400] : [404, 415];
        expect([segment, expected.includes(status), text.slice(0, 60)]).toEqual([segment, true, text.slice(0, 60)]);
        if (method === "GET") expect([segment, status]).toEqual([segment, expected[0]]);
      }
    }
    expect(await snapshot()).toEqual(before);
  });

  test.each([
    "/api/2.0//patients",
    "/api/2.0/patients//",
    "/api/2.0/patients/1//policies",
    "/api/2.0",
    "/api/2.0/%70atients%2f",
  ])("%s is no path of the API", async (target) => {
    expect((await exchange("GET", target)).status).toBe(404);
  });
});

const HOSTILE = [
  "%00",
  "a%00b",
  "%ff",
  "%F0%9F%92%8A",
  "-1",
  "1.5",
  "1e3",
  "99999999999999999999",
  "NaN",
  "[]",
  "{}",
  "'",
  "\\",
  "%25",
  "true",
  "null",
  "x".repeat(5000),
  "0000-01-01",
  "2023-02-30",
  "9999-12-31",
  "%20",
  "",
];
const TIMES = [
  "0000-01-01T00:00:00Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59Z",
  "9999-12-31T23:59:59-15:59",
  "%2B999999-01-01T00:00:00Z",
  "-000001-01-01T00:00:00Z",
  "2026-01-01T00:00:00%2B16:00",
  "2026-01-01T00:00:00-23:59",
  "2026-01-01T00:00:00+05:30",
  "2026-01-01T24:00:00Z",
  "2026-01-01T23:59:60Z",
  "2026-01-01T00:00:00",
  "2026-01-01T00:00",
  "2026-01-01",
  "infinity",
  "now",
  "today",
  "epoch",
  "2026-02-30T00:00:00Z",
  `2026-01-01T00:00:00.${"9".repeat(300)}Z`,
  "1767225600",
  "BC",
];

describe("a query parameter that is wrong is named: 400", () => {
  const asking = ENDPOINTS.filter(({ declaration }) => declaration.query && declaration.scope !== "public");

  test.each(asking.map((endpoint) => [endpoint.method, endpoint.path, endpoint] as const))(
    "%s %s",
    async (method, path, endpoint) => {
      const before = await snapshot();
      for (const name of Object.keys(endpoint.declaration.query ?? {})) {
        for (const value of /date|dob|as_of|modified/.test(name) ? [...HOSTILE, ...TIMES] : HOSTILE) {
          // Where the query is right after all, a write must find nothing to do.
          const target = method === "GET" ? world.at(path) : world.at(path, ["id"]);
          const query = `${name}=${value}`;
          const { status, body } = await call(method, `${target}?${query}`, { token });
          expect([query.slice(0, 60), status < 500]).toEqual([query.slice(0, 60), true]);
          if (status === 400 && method === "GET")
            expect([query.slice(0, 60), Object.keys(body)]).toEqual([query.slice(0, 60), [name]]);
          expect(JSON.stringify(status === 400 ? body : "")).not.toMatch(VALIDATORS_WORDS);
          if (value.includes("%00")) expect([query, status, Object.keys(body)]).toEqual([query, 400, [name]]);
        }
        const many = Array(500).fill(`${name}=1`).join("&");
        expect((await call(method, `${world.at(path, ["id"])}?${many}`, { token })).status).toBeLessThan(500);
      }
      expect(await snapshot()).toEqual(before);
    },
  );

  test("as_of and last_modified take a time with the offsets there are on Earth", async () => {
    const policies = world.at("patients/[id]/policies");
    for (const time of ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00.123456+14:00", "2030-01-01T00:00:00-12:00"]) {
      const answer = await call("GET", `${policies}?as_of=${encodeURIComponent(time)}`, { token });
      expect([time, answer.status, answer.body.results?.length]).toEqual([time, 200, 1]);
      const modified = await call("GET", `patients/?last_modified__lt=${encodeURIComponent(time)}`, { token });
      expect([time, modified.status, modified.body.results?.length]).toEqual([time, 200, 1]);
    }
    const early = await call("GET", `${policies}?as_of=0001-01-01T00:00:00Z`, { token });
    expect([early.status, early.body.results]).toEqual([200, []]);
    expect((await call("GET", `${policies}?as_of=2030-01-01T00:00:00%2B16:00`, { token })).status).toBe(400);
  });

  test("a time without a zone is UTC", async () => {
    const get = (query: string) => call("GET", `patients/?${query}`, { token });
    const { body } = await get("");
    const modified = body.results[0].last_modified.replace("Z", "");
    expect((await get(`last_modified__gte=${modified}`)).body.results).toHaveLength(1);
    expect((await get(`last_modified__gt=${modified}`)).body.results).toHaveLength(0);
  });

  test("parameters named after members of Object.prototype are ignored like all unknown parameters", async () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      const { status } = await call("GET", `patients/?${name}=1&${name}=2`, { token });
      expect([name, status]).toEqual([name, 200]);
    }
  });
});

describe("headers", () => {
  const get = (headers: Record<string, string>) => exchange("GET", "/api/2.0/patients/", headers);

  test.each([
    ["a very long Authorization", { authorization: `Bearer ${"a".repeat(12_000)}` }, 401],
    ["an Authorization in UTF-8", { authorization: "Bearer \xc3\xa9" }, 401],
    ["headers beyond all measure", { "x-padding": "a".repeat(40_000) }, 431],
    ["an odd Accept", { accept: "application/xml;q=\xff" }, 200],
    ["an odd If-None-Match", { "if-none-match": "\xff".repeat(2000) }, 200],
    ["a Content-Length that is no number", { "content-length": "abc" }, 400],
    ["a request id with a tab", { "x-request-id": "abcdefgh\tijk" }, 200],
  ])("%s", async (_case, headers, expected) => {
    expect((await get(headers)).status).toBe(expected);
  });

  test.each([
    ["idempotency-key", "k".repeat(256), "invalid_idempotency_key"],
    ["idempotency-key", "\xe9", "invalid_idempotency_key"],
    ["if-match", "\xff", "invalid_if_match"],
    ["x-change-reason", "r".repeat(501), "invalid_reason"],
  ])("%s: %.10s… is refused by its name, and nothing is stored", async (name, value, code) => {
    const path = world.at("patients/[id]/policies/[policy_id]/restore");
    const before = await snapshot();
    const { status, body } = await call("POST", path, { token, headers: { [name]: value } });
    expect([status, body.code]).toEqual([400, code]);
    expect(body.detail.toLowerCase()).toContain(name);
    expect(await snapshot()).toEqual(before);
  });
});
