import { randomUUID } from "node:crypto";
import http from "node:http";
import type { Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { config } from "@/lib/platform/config";
import { log } from "@/lib/platform/log";
import { observeRequest } from "@/lib/platform/metrics";
import { keysOf } from "@/lib/platform/objects";
import { traceRequest, withoutSpans } from "@/lib/platform/tracing";
import { replaceBusyStatus } from "./busy-pages";
import { countAnonymous } from "./client-limits";
import { RateLimitedError } from "./errors";
import { PageTurns } from "./page-turns";
import { clientAddress, MalformedRequestError, readPath, sanitizeHeaders, toRequestId } from "./request";
import { jsonResponse, type PlainResponse, SECURITY_HEADERS, send } from "./response";
import { createRouteTable, type RouteEntry, type RouteMatch, rejectMethod } from "./route";
import {
  type BufferedBody,
  bufferBody,
  limitConnections,
  PAGE_BODY_BYTES,
  SLOWEST,
  STALLED_MS,
  TIMEOUTS,
} from "./server-limits";

const ROOTS = { api: "/api/2.0", staff: "/api/staff" } as const;
/** Files of pages. They are cheap to send, and a page loads dozens. For any other missing file, Next renders a page. */
const STATIC = /^\/(_next\/static\/|viewer\/swagger-ui(-bundle\.js|\.css)$|favicon\.ico$|icon\.svg$)/;
const isFile = (method: string | undefined, pathname: string) =>
  (method === "GET" || method === "HEAD") && STATIC.test(pathname);

export interface ServerOptions {
  /** Route modules served directly: the API, the staff calls, and the paths for load balancers. */
  routes: { [root in keyof typeof ROOTS]: readonly RouteEntry[] } & { probes?: readonly RouteEntry[] };
  /** Handles everything else: Next. Bodies of its requests are small and completely received. */
  pages: (req: http.IncomingMessage, res: http.ServerResponse) => Promise<void>;
  trustProxy: boolean;
  /** Maximum open connections. Default: the setting. */
  maxConnections?: number;
}

/** Creates the server for the API and the pages. No request crashes it, and every response has X-Request-Id. */
export function createServer({ routes, pages, trustProxy, ...limits }: ServerOptions): http.Server {
  const { maxConnections = config().MAX_CONNECTIONS } = limits;
  const tables = keysOf(ROOTS).map((name) => ({ root: ROOTS[name], match: createRouteTable(routes[name]) }));
  const matchProbe = createRouteTable(routes.probes ?? []);

  const turns = new PageTurns();

  const handleRequest = async (req: http.IncomingMessage, res: http.ServerResponse): Promise<void> => {
    const path = readPath(req);
    sanitizeHeaders(req, trustProxy);
    const table = tables.find(({ root }) => path === root || path.startsWith(`${root}/`));
    const found = table ? table.match(path.slice(table.root.length)) : matchProbe(path);
    const serve = table || found ? () => serveCall(req, res, found) : () => servePage(req, res, path);
    const isTraced = table || !(found || isFile(req.method, path));
    return isTraced ? traceRequest(req, res, table ? "unknown" : "page", serve) : serve();
  };

  const serveCall = async (
    req: http.IncomingMessage,
    res: http.ServerResponse,
    found: RouteMatch | null,
  ): Promise<void> => {
    const method = req.method ?? "";
    if (!found) {
      observe(req, res, "unknown");
      return send(res, errorResponse(req, { status: 404, detail: "No such path.", code: "not_found" }));
    }
    const handle = (Object.hasOwn(found.module, method) && found.module[method]) || rejectMethod(found.module);
    const context = { params: Promise.resolve(found.params), node: { incoming: req, outgoing: res } };
    const listener = getRequestListener((request) => turns.call(() => handle(request, context)), {
      hostname: "localhost",
      // `toResponse` handles unread bodies.
      autoCleanupIncoming: false,
      // A handler counts its own responses. This one comes from outside of it.
      errorHandler: (error) => {
        observe(req, res, "unknown");
        onFailure(req, res, error);
      },
    });
    return listener(req, res);
  };

  /** Limits size and time of a body before Next reads it, because Next limits neither. */
  const servePage = async (req: http.IncomingMessage, res: http.ServerResponse, path: string): Promise<void> => {
    observe(req, res, isFile(req.method, path) ? "file" : "page");
    const requestId = requestIdOf(req);
    // First, because the body may already be arriving.
    const held = bufferBody(req, { bytes: PAGE_BODY_BYTES, ms: SLOWEST.graceMs });
    if (!isFile(req.method, path)) await countAnonymous(clientAddress((name) => req.headers[name]?.toString() ?? null));
    const body = await held;
    if (body === "left") return;
    if (body !== "whole") return send(res, errorResponse(req, BODY_ERRORS[body]));
    res.setHeader("x-request-id", requestId);
    replaceBusyStatus(res, requestId);
    if (!isFile(req.method, path)) await turns.page();
    // Next's own spans would hold queries, and these the names of patients that staff look for.
    return withoutSpans(() => pages(req, res));
  };

  const server = http.createServer({ requireHostHeader: false, ...TIMEOUTS }, (req, res) => {
    handleRequest(req, res).catch((error: unknown) => onFailure(req, res, error));
  });
  server.timeout = STALLED_MS;
  limitConnections(server, { total: maxConnections, perAddress: trustProxy ? null : Math.ceil(maxConnections / 4) });
  server.on("clientError", onClientError);
  // Without this listener, Node responds with an empty body and without our headers.
  server.on("checkExpectation", (req: http.IncomingMessage, res: http.ServerResponse) => {
    observe(req, res, "unknown");
    sendError(req, res, EXPECTATION_FAILED);
  });
  return server;
}

/** Counts and logs a response that no declared operation counts, once it is sent. A page loads dozens of files, which are not logged. */
function observe(req: http.IncomingMessage, res: http.ServerResponse, operation: "unknown" | "page" | "file"): void {
  const started = performance.now();
  res.once("finish", () => {
    const ms = performance.now() - started;
    observeRequest(operation, res.statusCode, ms);
    if (operation === "file") return;
    log.info({ request: requestIdOf(req), endpoint: operation, status: res.statusCode, ms: Math.round(ms * 10) / 10 });
  });
}

/** An error of the server itself, before or outside of a route's handler. */
interface ServerError {
  status: number;
  detail: string;
  code: string;
  headers?: Record<string, string>;
}

const BODY_ERRORS: Record<Exclude<BufferedBody, "whole" | "left">, ServerError> = {
  too_large: { status: 413, detail: `The body is larger than ${PAGE_BODY_BYTES} bytes.`, code: "payload_too_large" },
  too_slow: { status: 408, detail: "The body did not arrive in time.", code: "request_timeout" },
};
const EXPECTATION_FAILED: ServerError = {
  status: 417,
  detail: "The only supported value of Expect is 100-continue.",
  code: "expectation_failed",
};
const INTERNAL_ERROR: ServerError = { status: 500, detail: "Something went wrong.", code: "internal_error" };

function errorResponse(req: http.IncomingMessage, { status, detail, code, headers }: ServerError): PlainResponse {
  return jsonResponse(status, { detail, code }, { "x-request-id": requestIdOf(req), ...headers });
}

/** Returns the ID of a request, which stays the same for its log lines, its response and the page. */
function requestIdOf({ headers }: http.IncomingMessage): string {
  const requestId = toRequestId(headers["x-request-id"]?.toString());
  headers["x-request-id"] = requestId;
  return requestId;
}

function onFailure(req: http.IncomingMessage, res: http.ServerResponse, error: unknown): void {
  const known = knownError(error);
  // A client that disconnects early is not an error of the server.
  if (res.destroyed || (req.destroyed && !known)) return;
  const request = requestIdOf(req);
  if (!known) log.error({ err: error, request, method: req.method }, "a request failed outside its handler");
  if (res.headersSent) {
    res.destroy();
    return;
  }
  sendError(req, res, known ?? INTERNAL_ERROR);
}

function sendError(req: http.IncomingMessage, res: http.ServerResponse, error: ServerError): void {
  send(res, errorResponse(req, error)).catch((err: unknown) =>
    log.error({ err, request: requestIdOf(req) }, "an error response could not be sent"),
  );
}

function knownError(error: unknown): ServerError | null {
  if (error instanceof RequestError) return knownError(new MalformedRequestError());
  if (error instanceof MalformedRequestError) return { status: 400, detail: error.message, code: "invalid_request" };
  if (error instanceof RateLimitedError) {
    const headers = { "retry-after": String(error.retryAfterSeconds) };
    return { status: 429, detail: error.message, code: error.reason, headers };
  }
  return null;
}

type SocketError = readonly [status: string, detail: string, code: string];
const INVALID_HTTP: SocketError = ["400 Bad Request", "The request is not valid HTTP.", "invalid_request"];
const CLIENT_ERRORS: Record<string, SocketError> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    `The URL and the headers have more than ${http.maxHeaderSize} bytes.`,
    "invalid_request",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time.", "request_timeout"],
};

/** Responds to what the HTTP parser could not read. There is no request, only a socket. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail, code] = CLIENT_ERRORS[error.code ?? ""] ?? INVALID_HTTP;
  const body = JSON.stringify({ detail, code });
  const head = ["content-type: application/json; charset=utf-8", `content-length: ${Buffer.byteLength(body)}`];
  const security = SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`);
  const lines = [`HTTP/1.1 ${status}`, ...head, ...security, `x-request-id: ${randomUUID()}`, "connection: close"];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Starts listening and returns the port. Rejects if the port is taken. */
export function listen(server: http.Server, { port, host }: { port: number; host: string }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : port);
    });
  });
}

/** Accepts no more connections, waits up to `graceMs` for open requests, then cuts the rest. */
export function stopServer(server: http.Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // The server ends when its last connection does, so close keep-alive connections as they become idle.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    const limit = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(limit);
      resolve();
    });
    server.prependListener("request", (_req, res) => {
      res.shouldKeepAlive = false;
    });
  });
}
