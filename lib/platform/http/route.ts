import type { HttpBindings } from "@hono/node-server";
import { log } from "@/lib/platform/log";
import { observeRequest } from "@/lib/platform/metrics";
import { fromKeys } from "@/lib/platform/objects";
import { toRequestId } from "./request";
import { jsonResponse, toResponse } from "./response";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];
type Handler = (request: Request, context?: Partial<RouteContext>) => Promise<Response>;

/** Completes the handlers of a path: HEAD follows from GET, and OPTIONS and undeclared methods (405) list the others in `Allow`. */
export function route(declared: Partial<Record<Method, Handler>>): Record<Method | "HEAD" | "OPTIONS", Handler> {
  const allow = METHODS.filter((method) => declared[method])
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .concat("OPTIONS")
    .join(", ");
  const headersFor = (request: Request) => ({
    allow,
    "x-request-id": toRequestId(request.headers.get("x-request-id")),
  });
  const notAllowed: Handler = async (request, context) => methodNotAllowed(request, context, headersFor(request));
  const handlerOf = (method: Method): Handler => declared[method] ?? notAllowed;
  const head: Handler = async (request, context) => {
    const response = await handlerOf("GET")(request, context);
    return new Response(null, { status: response.status, headers: response.headers });
  };
  const options: Handler = async (request, context) =>
    toResponse(jsonResponse(204, undefined, headersFor(request)), context?.node);
  return {
    GET: handlerOf("GET"),
    POST: handlerOf("POST"),
    PUT: handlerOf("PUT"),
    PATCH: handlerOf("PATCH"),
    DELETE: handlerOf("DELETE"),
    HEAD: declared.GET ? head : notAllowed,
    OPTIONS: options,
  };
}

function methodNotAllowed(
  request: Request,
  context: Partial<RouteContext> | undefined,
  headers: Record<string, string>,
): Response {
  observeRequest("unknown", 405, 0);
  log.info({ request: headers["x-request-id"], endpoint: "unknown", status: 405, ms: 0 });
  const body = { detail: `${request.method} is not allowed here.`, code: "method_not_allowed" };
  return toResponse(jsonResponse(405, body, headers), context?.node);
}

/**
 * Makes the handler of any method that `route` does not know. A module exports all that it knows, so that only OPTIONS says which of
 * them the path has, and whether a catch-all route has the path at all.
 */
export function rejectMethod(module: RouteModule): RouteFunction {
  return async (request, context) => {
    const options = await module.OPTIONS?.(request, context);
    if (options && options.status !== 204) return options;
    const headers = options?.headers;
    const requestId = headers?.get("x-request-id") ?? toRequestId(request.headers.get("x-request-id"));
    return methodNotAllowed(request, context, { allow: headers?.get("allow") ?? "", "x-request-id": requestId });
  };
}

const SERVED_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] as const;
type Module = Record<(typeof SERVED_METHODS)[number], RouteFunction>;

/** Makes the handlers of a catch-all route `[...path]` that serves a table of routes, with `unknown` for any other path. */
export function dispatch(entries: readonly RouteEntry[], unknown: Module): Module {
  const find = createRouteTable(entries);
  const handlerFor =
    (method: (typeof SERVED_METHODS)[number]): RouteFunction =>
    async (request, context) => {
      const { path } = await context.params;
      const found = find(
        [path]
          .flat()
          .map((segment) => encodeURIComponent(segment ?? ""))
          .join("/"),
      );
      const handle = found?.module[method];
      return handle ? handle(request, { params: Promise.resolve(found.params) }) : unknown[method](request, context);
    };
  return fromKeys(SERVED_METHODS, handlerFor);
}

export type RouteParams = Record<string, string | string[]>;

export interface RouteContext {
  params: Promise<RouteParams>;
  /** Node's messages behind the request. Absent under `next dev`. */
  node?: HttpBindings;
}

export type RouteFunction = (request: Request, context: RouteContext) => Promise<Response>;
/** The exports of a route.ts, by method. */
export type RouteModule = Readonly<Partial<Record<string, RouteFunction>>>;

export interface RouteEntry {
  /** Folders below the root of the table, as in Next: `patients/[id]/policies`, `[...path]`. */
  path: string;
  /** Can be a getter. It is only read for a call to this path. */
  readonly module: RouteModule;
}

export interface RouteMatch {
  module: RouteModule;
  params: RouteParams;
}

interface Node {
  fixed: Map<string, Node>;
  param?: { name: string; node: Node };
  rest?: { name: string; entry: RouteEntry };
  optionalRest?: { name: string; entry: RouteEntry };
  entry?: RouteEntry;
}

class MalformedPathError extends Error {}

/**
 * Makes a matcher with the precedence of Next's app router: fixed segments before `[param]` before `[...rest]` before `[[...rest]]`.
 *
 * The matcher takes the percent-encoded path below the table's root, with or without a trailing slash. It returns null if nothing matches
 * or the encoding is malformed.
 *
 * @throws if two entries have the same path, or name the same parameter differently
 */
export function createRouteTable(entries: readonly RouteEntry[]): (path: string) => RouteMatch | null {
  const root: Node = { fixed: new Map() };
  for (const entry of entries) insert(root, entry);
  return (path) => {
    const segments = path.split("/");
    if (segments[0] === "") segments.shift();
    if (segments.at(-1) === "") segments.pop();
    if (segments.includes("")) return null;
    const params: RouteParams = {};
    try {
      const entry = find(root, segments, 0, params);
      return entry ? { module: entry.module, params } : null;
    } catch (error) {
      if (error instanceof MalformedPathError) return null;
      throw error;
    }
  };
}

function insert(root: Node, entry: RouteEntry): void {
  const { path } = entry;
  const conflict = () => new Error(`Two API routes claim ${path}`);
  let node = root;
  const segments = path === "" ? [] : path.split("/");
  for (const [index, segment] of segments.entries()) {
    const [, optional, dots, name] = /^\[(\[)?(\.\.\.)?([^\]]+)\]\]?$/.exec(segment) ?? [];
    if (name === undefined) {
      const next = node.fixed.get(segment) ?? { fixed: new Map() };
      node.fixed.set(segment, next);
      node = next;
    } else if (dots === undefined) {
      node.param ??= { name, node: { fixed: new Map() } };
      if (node.param.name !== name) throw conflict();
      node = node.param.node;
    } else {
      const kind = optional ? "optionalRest" : "rest";
      if (node[kind] || index !== segments.length - 1) throw conflict();
      node[kind] = { name, entry };
      return;
    }
  }
  if (node.entry) throw conflict();
  node.entry = entry;
}

function find(node: Node, segments: readonly string[], index: number, params: RouteParams): RouteEntry | null {
  const segment = segments[index];
  if (segment === undefined) return node.entry ?? node.optionalRest?.entry ?? null;
  const fixed = node.fixed.get(segment);
  const found = fixed && find(fixed, segments, index + 1, params);
  if (found) return found;
  if (node.param) {
    const entry = find(node.param.node, segments, index + 1, params);
    if (entry) {
      params[node.param.name] = decode(segment);
      return entry;
    }
  }
  const rest = node.rest ?? node.optionalRest;
  if (!rest) return null;
  params[rest.name] = segments.slice(index).map(decode);
  return rest.entry;
}

function decode(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new MalformedPathError();
  }
}
