// Unusual paths, queries and headers over HTTP. What each operation does with them is in operation-contract.
import type http from "node:http";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiRoutes } from "@/generated/api-routes";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { call } from "@/tests/support/api";
import { snapshot } from "@/tests/support/snapshot";
import { seedWorld, type World } from "@/tests/support/world";

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

/** Sends a request exactly as written; a web Request would repair or reject it. */
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

describe("paths", () => {
  test.each([
    "/api/2.0//patients",
    "/api/2.0/patients//",
    "/api/2.0/patients/1//policies",
    "/api/2.0",
    "/api/2.0/%70atients%2f",
  ])("%s is not a path of the API", async (target) => {
    expect((await exchange("GET", target)).status).toBe(404);
  });
});

describe("query parameters", () => {
  test("as_of and last_modified accept the time zone offsets that exist", async () => {
    const policies = world.at("patients/[id]/policies");
    for (const time of ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00.123456+14:00", "2030-01-01T00:00:00-12:00"]) {
      const response = await call("GET", `${policies}?as_of=${encodeURIComponent(time)}`, { token });
      expect([time, response.status, response.body.results?.length]).toEqual([time, 200, 1]);
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
    ["oversized headers", { "x-padding": "a".repeat(40_000) }, 431],
    ["an odd Accept", { accept: "application/xml;q=\xff" }, 200],
    ["an odd If-None-Match", { "if-none-match": "\xff".repeat(2000) }, 200],
    ["a Content-Length that is not a number", { "content-length": "abc" }, 400],
    ["a request ID with a tab", { "x-request-id": "abcdefgh\tijk" }, 200],
  ])("%s", async (_case, headers, expected) => {
    expect((await get(headers)).status).toBe(expected);
  });

  test.each([
    ["idempotency-key", "k".repeat(256), "invalid_idempotency_key"],
    ["idempotency-key", "\xe9", "invalid_idempotency_key"],
    ["if-match", "\xff", "invalid_if_match"],
    ["x-change-reason", "r".repeat(501), "invalid_reason"],
  ])("%s: %.10s… is rejected by name, and nothing is stored", async (name, value, code) => {
    const path = world.at("patients/[id]/policies/[policy_id]/restore");
    const before = await snapshot();
    const { status, body } = await call("POST", path, { token, headers: { [name]: value } });
    expect([status, body.code]).toEqual([400, code]);
    expect(body.detail.toLowerCase()).toContain(name);
    expect(await snapshot()).toEqual(before);
  });
});
