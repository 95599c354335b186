import { jsonResponse } from "./reply";
import { toRequestId } from "./request-id";
import type { RouteContext } from "./route-table";
import { toResponse } from "./send";

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
  const notAllowed: Handler = async (request, context) => {
    const body = { detail: `${request.method} is not allowed here.`, code: "method_not_allowed" };
    return toResponse(jsonResponse(405, body, headersFor(request)), context?.node);
  };
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
