// Limits on what a client may cost the server: unread bodies, slow senders and readers, connections.
import { once } from "node:events";
import type http from "node:http";
import net from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { octets } from "@/lib/platform/http/body";
import type { RouteModule } from "@/lib/platform/http/route";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";

const MIB = 1024 * 1024;
const LARGE = new Uint8Array(64 * MIB);

const upload = endpoint({
  name: "uploads.create",
  scope: "public",
  status: 201,
  body: octets({ limitBytes: 4 * MIB }),
  handle: async ({ body }) => ({ body: { bytes: body.byteLength } }),
});
const refusing = endpoint({
  name: "uploads.refuse",
  scope: "public",
  status: 201,
  handle: async () => ({ status: 401, body: { detail: "No.", code: "no" } }),
});
const download = endpoint({
  name: "downloads.show",
  scope: "public",
  status: 200,
  produces: ["application/octet-stream"],
  handle: async () => ({ file: { bytes: LARGE, contentType: "application/octet-stream", filename: "large" } }),
});
const routes = [
  { path: "uploads", module: { POST: upload } as unknown as RouteModule },
  { path: "refusing", module: { POST: refusing } as unknown as RouteModule },
  { path: "large", module: { GET: download } as unknown as RouteModule },
];

let server: http.Server;
let port: number;
/** What reached the pages: method, request ID, and the bytes of the body that had arrived. */
let pages: { method: string; requestId: string; arrived: number; body: string }[] = [];

async function servePage(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
  const arrived = req.readableLength;
  let body = "";
  for await (const chunk of req) body += chunk;
  pages.push({ method: req.method ?? "", requestId: String(req.headers["x-request-id"]), arrived, body });
  res.end("a page");
}

async function start(limits: { maxConnections?: number } = {}): Promise<void> {
  server = createServer({ routes: { api: routes, staff: [] }, pages: servePage, trustProxy: false, ...limits });
  port = await listen(server, { port: 0, host: "127.0.0.1" });
}
beforeAll(() => start());
afterAll(() => stopServer(server, 1000));
afterEach(() => {
  pages = [];
});

/** Opens a connection; returns everything it received, and whether it was closed. */
function connect(): { socket: net.Socket; text: () => string; closed: Promise<void> } {
  const socket = net.connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  return { socket, text: () => text, closed: new Promise((resolve) => socket.once("close", () => resolve())) };
}

/** Sends a head, then a body until everything is sent or the server has closed the connection. */
async function flood(head: string, { bytes, chunked }: { bytes: number; chunked: boolean }) {
  const { socket, text, closed } = connect();
  socket.write(`${head}\r\n${chunked ? "transfer-encoding: chunked" : `content-length: ${bytes}`}\r\n\r\n`);
  const block = Buffer.alloc(64 * 1024, "a");
  const part = chunked ? Buffer.concat([Buffer.from("10000\r\n"), block, Buffer.from("\r\n")]) : block;
  let sent = 0;
  while (sent < bytes && !socket.destroyed) {
    sent += block.length;
    if (!socket.write(part)) await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), closed]);
  }
  if (!socket.destroyed && chunked) socket.write("0\r\n\r\n");
  await closed;
  return { response: text(), sent };
}

const PAGE = "POST /api/auth/callback/credentials HTTP/1.1\r\nhost: localhost";
const UPLOAD = "POST /api/2.0/uploads HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/octet-stream";

describe("an unread body", () => {
  test.each([
    ["a page, by its declared length", PAGE, false],
    ["a page, by what arrives", PAGE, true],
    ["a page, requested with GET", PAGE.replace("POST", "GET"), true],
    ["an upload, by its declared length", UPLOAD, false],
    ["an upload, by what arrives", UPLOAD, true],
    ["a route that reads no body", "POST /api/2.0/refusing HTTP/1.1\r\nhost: localhost", true],
  ])("of 150 MB is rejected while it is sent: %s", async (_what, head, chunked) => {
    const { response, sent } = await flood(head, { bytes: 150 * MIB, chunked });
    expect(response).toMatch(/^HTTP\/1\.1 (413 Payload Too Large|401)/);
    expect(response.toLowerCase()).toContain("connection: close");
    // The sockets' own buffers took some; most of the body was never read.
    expect(sent).toBeLessThan(40 * MIB);
    expect(pages).toEqual([]);
  });

  test("is rejected without an unhandled error, even if the rest arrives later", async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    // In place of the test runner's handlers.
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", note);
    const { socket, text, closed } = connect();
    socket.write(`${UPLOAD}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const block = `10000\r\n${"a".repeat(65_536)}\r\n`;
    for (let sent = 0; sent < 66; sent++) {
      socket.write(block);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    socket.write("0\r\n\r\n");
    await closed;
    process.removeAllListeners("uncaughtException");
    for (const other of others) process.on("uncaughtException", other);
    expect([text().slice(0, 12), uncaught]).toEqual(["HTTP/1.1 413", []]);
  });

  test("keeps the connection open if the body is small", async () => {
    const { socket, text, closed } = connect();
    const request = "POST /api/2.0/refusing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n";
    socket.write(`${request}\r\n0123456789${request}connection: close\r\n\r\n0123456789`);
    await closed;
    expect(text().match(/HTTP\/1\.1 401/g)).toHaveLength(2);
  });
});

describe("the body of a page", () => {
  test("arrives completely, up to the limit, however it is sent", async () => {
    const body = "b".repeat(64 * 1024);
    const streamed = new ReadableStream({
      async start(controller) {
        for (let at = 0; at < body.length; at += 1000) {
          controller.enqueue(new TextEncoder().encode(body.slice(at, at + 1000)));
          await new Promise((resolve) => setImmediate(resolve));
        }
        controller.close();
      },
    });
    const url = `http://127.0.0.1:${port}/api/auth/signout`;
    await fetch(url, { method: "POST", body });
    await fetch(url, { method: "POST", body: streamed, duplex: "half" } as RequestInit);
    expect(pages).toHaveLength(2);
    for (const page of pages) expect([page.arrived, page.body === body]).toEqual([body.length, true]);
  });

  test("is awaited before any work, and a client that disconnects triggers none", async () => {
    const { socket, closed } = connect();
    socket.write(`${PAGE}\r\ncontent-length: 10\r\n\r\n12345`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(pages).toEqual([]);
    socket.destroy();
    await closed;
    await fetch(`http://127.0.0.1:${port}/`);
    expect(pages.map(({ method }) => method)).toEqual(["GET"]);
  });
});

describe("a page's request id", () => {
  test.each([
    ["abcd-1234.ok", true],
    ["short", false],
    ["<script>alert(1)</script>", false],
    ["x".repeat(65), false],
  ])("%s is kept: %s", async (sent, kept) => {
    const response = await fetch(`http://127.0.0.1:${port}/sign-in`, { headers: { "x-request-id": sent } });
    const id = response.headers.get("x-request-id") ?? "";
    expect(id === sent).toBe(kept);
    expect(id).toMatch(/^[\w.-]{8,64}$/);
    expect(pages[0]?.requestId).toBe(id);
  });
});

describe("every response except pages", () => {
  test.each([
    ["of a route", "POST /api/2.0/refusing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 401],
    ["for an unknown route", "GET /api/2.0/none HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 404],
    ["for an unsupported method", "PUT /api/2.0/uploads HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", 405],
    ["to a malformed request", "what is this\r\n\r\n", 400],
    ["to an invalid Host", "GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n", 400],
    ["to a body that is too large", `${PAGE}\r\ncontent-length: 99999999\r\n\r\n`, 413],
  ])("%s forbids browsers to run, frame or sniff it", async (_what, request, status) => {
    const { socket, text, closed } = connect();
    socket.write(request);
    await closed;
    const response = text().toLowerCase();
    expect(response).toContain(`http/1.1 ${status}`);
    for (const line of [
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      "strict-transport-security: max-age=31536000",
      "x-content-type-options: nosniff",
      "referrer-policy: no-referrer",
    ])
      expect(response).toContain(`\r\n${line}\r\n`);
  });
});

test("only clients that send or read too slowly are disconnected", async () => {
  const dripping = (head: string) => {
    const one = connect();
    one.socket.write(`${head}\r\ncontent-length: 50000\r\n\r\n`);
    const timer = setInterval(() => one.socket.write("x"), 1000);
    return one.closed.then(() => {
      clearInterval(timer);
      return one.text();
    });
  };
  // Only the server's end shows it: a client that does not read does not see the end either.
  const unreadEnded = new Promise<void>((resolve) => {
    server.once("connection", (socket) => socket.once("close", () => resolve()));
  });
  const unread = connect();
  unread.socket.write("GET /api/2.0/large HTTP/1.1\r\nhost: a\r\n\r\n");
  unread.socket.pause();
  // 1 MB in 22 seconds: more than twice the minimum rate.
  const steady = connect();
  steady.socket.write(`${UPLOAD}\r\nconnection: close\r\ncontent-length: ${220 * 4096}\r\n\r\n`);
  const timer = setInterval(() => steady.socket.write(Buffer.alloc(4096)), 100);
  const headers = connect();
  headers.socket.write("GET / HTTP/1.1\r\nhost: a\r\n");
  const results = await Promise.all([
    dripping(PAGE),
    dripping(UPLOAD),
    steady.closed.then(steady.text),
    headers.closed.then(headers.text),
  ]);
  clearInterval(timer);
  expect(results.map((text) => text.split(" ")[1])).toEqual(["408", "408", "201", "408"]);
  await unreadEnded;
  unread.socket.destroy();
});

describe("connections", () => {
  test("are limited to a quarter for one address and become free again", async () => {
    await stopServer(server, 1000);
    await start({ maxConnections: 12 });
    const first = Array.from({ length: 3 }, connect);
    for (const { socket } of first) await new Promise((resolve) => socket.once("connect", resolve));
    const beyond = connect();
    await beyond.closed;
    for (const { socket, closed } of first) {
      socket.destroy();
      await closed;
    }
    for (let wait = 0; wait < 100; wait++) {
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
      if (response?.status === 200) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error("no connection was accepted again");
  });
});

test("starts at most one page per turn of the event loop", async () => {
  let round = 0;
  const count = () => {
    round++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const begun: number[] = [];
  const paced = createServer({
    routes: { api: [], staff: [] },
    pages: async (_req, res) => {
      begun.push(round);
      res.end("a page");
    },
    trustProxy: false,
  });
  const at = await listen(paced, { port: 0, host: "127.0.0.1" });
  try {
    const sockets = Array.from({ length: 20 }, () => net.connect(at, "127.0.0.1").on("error", () => {}));
    const requestPage = (more = "") => {
      for (const socket of sockets) socket.write(`GET /page HTTP/1.1\r\nhost: x\r\n${more}\r\n`);
      return Promise.all(sockets.map((socket) => once(socket, "data")));
    };
    // Connections are accepted one at a time anyway, so the test uses open ones.
    await requestPage();
    begun.length = 0;
    await requestPage("connection: close\r\n");
    expect(begun).toHaveLength(20);
    expect(new Set(begun).size).toBe(20);
  } finally {
    clearImmediate(counting);
    await stopServer(paced, 1000);
  }
});
