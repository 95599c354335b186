import { jsonResponse } from "./reply";
import { toRequestId } from "./request-id";
import type { RouteContext } from "./route-table";
import { toResponse } from "./send";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];
type Handler = (request: Request, context?: Partial<RouteContext>) => Promise<Response>;

/**
 * The handlers of one path, complete: HEAD comes with GET, OPTIONS and every method that is not declared tell in `Allow`
 * what is (405).
 */
export function route(declared: Partial<Record<Method, Handler>>): Record<Method | "HEAD" | "OPTIONS", Handler> {
  const allow = METHODS.filter((method) => declared[method])
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .concat("OPTIONS")
    .join(", ");
  const headersFor = (request: Request) => ({
    allow,
    "x-request-id": toRequestId(request.headers.get("x-request-id")),
  });
  const refuse: Handler = async (request, context) => {
    const body = { detail: `${request.method} is not allowed here.`, code: "method_not_allowed" };
    return toResponse(jsonResponse(405, body, headersFor(request)), context?.node);
  };
  const of = (method: Method): Handler => declared[method] ?? refuse;
  const head: Handler = async (request, context) => {
    const response = await of("GET")(request, context);
    return new Response(null, { status: response.status, headers: response.headers });
  };
  const options: Handler = async (request, context) =>
    toResponse(jsonResponse(204, undefined, headersFor(request)), context?.node);
  return {
    GET: of("GET"),
    POST: of("POST"),
    PUT: of("PUT"),
    PATCH: of("PATCH"),
    DELETE: of("DELETE"),
    HEAD: declared.GET ? head : refuse,
    OPTIONS: options,
  };
}
