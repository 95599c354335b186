import type http from "node:http";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SECURITY_HEADERS } from "@/lib/platform/http/response";
import { type RouteModule, route } from "@/lib/platform/http/route";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { renderMetrics } from "@/lib/platform/metrics";
import { changeSettings } from "../support/process-state";

let sawAbort = () => {};
const abortSeen = new Promise<void>((resolve) => {
  sawAbort = resolve;
});

const echo: RouteModule = {
  GET: async (request) => {
    const seen = Object.fromEntries(request.headers);
    return new Response(JSON.stringify({ url: request.url, seen }), { status: 200, headers: { "x-a": "1" } });
  },
  POST: async (request, { params }) => {
    const text = await request.text();
    return new Response(JSON.stringify({ length: text.length, params: await params }), { status: 201 });
  },
};
const routes = [
  { path: "echo/[id]", module: echo },
  { path: "get-and-post", module: route({ GET: async () => new Response(), POST: async () => new Response() }) },
  {
    path: "throws",
    module: {
      GET: async () => {
        throw new Error("an internal secret");
      },
    } as RouteModule,
  },
  {
    path: "stream",
    module: {
      GET: async () => {
        const parts = ["one ", "two ", "three"];
        const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
          await new Promise((resolve) => setTimeout(resolve, 20));
          const part = parts.shift();
          if (part) controller.enqueue(new TextEncoder().encode(part));
          else controller.close();
        };
        return new Response(new ReadableStream({ pull }));
      },
    } as RouteModule,
  },
  {
    path: "waits",
    module: {
      GET: (request: Request) =>
        new Promise<Response>((resolve) => {
          request.signal.addEventListener("abort", () => {
            sawAbort();
            resolve(new Response(null, { status: 204 }));
          });
        }),
    } as RouteModule,
  },
];

let server: http.Server;
let base: string;

beforeAll(async () => {
  const pages = async (_req: http.IncomingMessage, res: http.ServerResponse) => {
    res.end("a page");
  };
  server = createServer({ routes: { api: routes, staff: [] }, pages, trustProxy: false });
  base = `http://127.0.0.1:${await listen(server, { port: 0, host: "127.0.0.1" })}`;
});
afterAll(() => stopServer(server, 1000));

/** Sends raw bytes and returns everything that is received. */
function raw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(Number(new URL(base).port), "127.0.0.1", () => socket.write(request));
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
}
const statusOf = async (request: string) => Number((await raw(request)).split(" ")[1]);

describe("the server in front of API and pages", () => {
  test("passes on the path's parameters and the body, sent at once or in small parts", async () => {
    const body = "x".repeat(300_000);
    const response = await fetch(`${base}/api/2.0/echo/a%20b/`, { method: "POST", body });
    expect([response.status, await response.json()]).toEqual([201, { length: 300_000, params: { id: "a b" } }]);
  });

  test("accepts a forwarded address only from a trusted proxy", async () => {
    const headers = { "x-forwarded-for": "9.9.9.9", "x-forwarded-host": "evil", "x-crosswalk-peer": "9.9.9.9" };
    const { url, seen } = (await (await fetch(`${base}/api/2.0/echo/1?a=b`, { headers })).json()) as {
      url: string;
      seen: Record<string, string>;
    };
    expect(url).toBe(`${base}/api/2.0/echo/1?a=b`);
    expect(seen["x-crosswalk-peer"]).toBe("127.0.0.1");
    expect(Object.keys(seen).filter((name) => name.startsWith("x-forwarded"))).toEqual([]);
  });

  test("streams a body as it arrives", async () => {
    expect(await (await fetch(`${base}/api/2.0/stream`)).text()).toBe("one two three");
  });

  test("handles HEAD like GET, without a body", async () => {
    const response = await raw("HEAD /api/2.0/none HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    expect(response.startsWith("HTTP/1.1 404")).toBe(true);
    expect(response.endsWith("\r\n\r\n")).toBe(true);
  });

  test("returns 500 for an unhandled error, with a request ID and no details, and counts it", async () => {
    await changeSettings({ METRICS_PORT: "9464" });
    const response = await fetch(`${base}/api/2.0/throws`);
    expect(response.status).toBe(500);
    expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
    expect(await response.json()).toEqual({ detail: "Something went wrong.", code: "internal_error" });
    const counted = 'crosswalk_request_duration_seconds_count{operation="unknown",status="500"} 1';
    await expect.poll(async () => (await renderMetrics()).text.split("\n")).toContain(counted);
  });

  test("aborts the handler's signal when the client disconnects", async () => {
    const socket = net.connect(Number(new URL(base).port), "127.0.0.1");
    socket.write("GET /api/2.0/waits HTTP/1.1\r\nhost: a\r\n\r\n");
    setTimeout(() => socket.destroy(), 100);
    await abortSeen;
  });

  test("leaves everything outside the API to the pages", async () => {
    for (const path of ["/", "/api/2.0x", "/api/staffx", "/api/auth/csrf"])
      expect(await (await fetch(base + path)).text()).toBe("a page");
  });

  test.each([
    ["an invalid Host", "GET /api/2.0/echo/1 HTTP/1.1\r\nhost: a b/c\r\nconnection: close\r\n\r\n", 400],
    ["no Host", "GET /api/2.0/echo/1 HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
    ["no path", "OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 400],
    ["a malformed escape", "GET /api/2.0/echo/%zz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 404],
    ["a path that looks like a host", "GET //api/2.0/echo/1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 200],
    ["a method that no route has", "TRACE /api/2.0/echo/1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 405],
    ["a request that is not HTTP", "what is this\r\n\r\n", 400],
    ["headers without end", `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
    ["a length that is not a number", "POST /api/2.0/echo/1 HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n", 400],
  ])("handles %s", async (_what, request, status) => {
    expect(await statusOf(request)).toBe(status);
  });

  test.each([
    [
      "an unknown expectation",
      "POST /api/2.0/echo/1 HTTP/1.1\r\nhost: a\r\nexpect: 200-ok",
      417,
      "expectation_failed",
      /100-continue/,
    ],
    [
      "a dot segment",
      "GET /api/2.0/echo/%2e%2e/ HTTP/1.1\r\nhost: a",
      400,
      "invalid_request",
      /segment that is \. or \.\./,
    ],
    [
      "a long URL",
      `GET /api/2.0/echo/1?${"y".repeat(20_000)} HTTP/1.1\r\nhost: a`,
      431,
      "invalid_request",
      /URL and the/,
    ],
  ])(
    "explains why it rejects %s, with a request ID and security headers",
    async (_what, head, status, code, detail) => {
      const response = await raw(`${head}\r\nconnection: close\r\n\r\n`);
      const [headers = "", body = ""] = response.split("\r\n\r\n");
      expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(headers).toMatch(/\r\nx-request-id: [\w-]{36}(\r\n|$)/);
      for (const [name, value] of SECURITY_HEADERS) expect(headers).toContain(`\r\n${name}: ${value}`);
      expect(JSON.parse(body)).toEqual({ detail: expect.stringMatching(detail), code });
    },
  );

  test("continues when a client expects 100-continue", async () => {
    const head = "POST /api/2.0/echo/1 HTTP/1.1\r\nhost: a\r\nexpect: 100-continue\r\ncontent-length: 2";
    const response = await raw(`${head}\r\nconnection: close\r\n\r\n{}`);
    expect(response).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 /);
  });

  test.each(["PURGE", "TRACE", "DELETE"])(
    "lists the methods of the path for %s, which it does not have",
    async (method) => {
      const response = await raw(`${method} /api/2.0/get-and-post HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1.1 405 /);
      expect(response).toMatch(/\r\nallow: GET, HEAD, POST, OPTIONS\r\n/i);
      expect(response.match(/\r\nx-request-id: /gi)).toHaveLength(1);
      expect(response).toContain('"code":"method_not_allowed"');
    },
  );

  test("still serves after all of that", async () => {
    expect((await fetch(`${base}/api/2.0/echo/1`)).status).toBe(200);
  });
});
