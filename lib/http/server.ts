import { randomUUID } from "node:crypto";
import http from "node:http";
import type { Socket } from "node:net";
import { log } from "@/lib/log";
import { distrustForwarding, MalformedRequestError, PEER_HEADER, sendResponse, toRequest, urlOf } from "./node-adapter";
import { requestIdFor } from "./request-id";
import { createRouteTable, type RouteEntry } from "./route-table";

const ROOTS = { api: "/api/2.0", staff: "/api/staff" } as const;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 120_000;
/** Longer than the usual minute of load balancers: the side that sends requests should be the one to close. */
const KEEP_ALIVE_MS = 65_000;

export interface ServerOptions {
  /** What is served straight from its route modules: the API, and the staff side's calls. */
  routes: { [root in keyof typeof ROOTS]: readonly RouteEntry[] };
  /** Everything else: Next's request handler. */
  pages: (req: http.IncomingMessage, res: http.ServerResponse) => Promise<void>;
  trustProxy: boolean;
}

/** The server in front of the API and the pages. No request ends it, and every answer of its own carries X-Request-Id. */
export function createServer({ routes, pages, trustProxy }: ServerOptions): http.Server {
  const tables = Object.entries(ROOTS).map(([name, root]) => ({
    root,
    match: createRouteTable(routes[name as keyof typeof ROOTS]),
  }));

  const answer = async (req: http.IncomingMessage, res: http.ServerResponse): Promise<void> => {
    const url = urlOf(req, trustProxy);
    if (!trustProxy) distrustForwarding(req);
    const { pathname } = url;
    const table = tables.find(({ root }) => pathname === root || pathname.startsWith(`${root}/`));
    if (!table) {
      req.headers[PEER_HEADER] = req.socket.remoteAddress ?? "";
      return pages(req, res);
    }
    const found = table.match(pathname.slice(table.root.length));
    if (!found) return refuse(res, 404, "No such path.", "not_found");
    const method = req.method ?? "";
    const handle = Object.hasOwn(found.module, method) ? found.module[method] : undefined;
    if (!handle) return refuse(res, 405, `${method} is not allowed here.`, "method_not_allowed", found.module);
    const request = toRequest(req, res, { url, trustProxy });
    await sendResponse(res, await handle(request, { params: Promise.resolve(found.params) }));
  };

  const settings = { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS };
  const timeouts = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = http.createServer({ ...settings, ...timeouts }, (req, res) => {
    answer(req, res).catch((error: unknown) => onFailure(req, res, error));
  });
  server.on("clientError", onClientError);
  return server;
}

function refuse(res: http.ServerResponse, status: number, detail: string, code: string, module?: object): void {
  const body = JSON.stringify({ detail, code });
  const methods = module && Object.keys(module).filter((name) => /^[A-Z]+$/.test(name));
  const allow = methods && { allow: methods.join(", ") };
  res.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-request-id": requestIdFor(res.req.headers["x-request-id"]?.toString()),
    "content-length": Buffer.byteLength(body),
    ...allow,
  });
  res.end(res.req.method === "HEAD" ? undefined : body);
}

function onFailure(req: http.IncomingMessage, res: http.ServerResponse, error: unknown): void {
  if (error instanceof MalformedRequestError) {
    refuse(res, 400, "The request line or the Host header is malformed.", "invalid_request");
    return;
  }
  // A client that left in the middle of an exchange is no fault of ours.
  if (res.destroyed || req.destroyed) return;
  log.error({ err: error, method: req.method }, "a request failed outside its handler");
  if (res.headersSent) res.destroy();
  else refuse(res, 500, "Something went wrong.", "internal_error");
}

const CLIENT_ERRORS: Record<string, [status: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The headers are too large."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time."],
};

/** What the HTTP parser could not read: there is no request to answer, only a socket. */
function onClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = CLIENT_ERRORS[error.code ?? ""] ?? ["400 Bad Request", "The request is not valid HTTP."];
  const body = JSON.stringify({ detail, code: "invalid_request" });
  const head = ["content-type: application/json; charset=utf-8", `content-length: ${Buffer.byteLength(body)}`];
  const lines = [`HTTP/1.1 ${status}`, ...head, `x-request-id: ${randomUUID()}`, "connection: close"];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Starts listening; rejects where the port is taken. Returns the port. */
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

/** Takes no new connections, lets the requests under way finish for at most `graceMs`, then cuts what is left. */
export function stopServer(server: http.Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // Connections kept alive by a client fall idle one by one; closing them is what lets the server end.
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
