import { auditRead } from "@/lib/access/audit/commands";
import type { Access } from "@/lib/access/identity/access";
import type { Actor, ChangeSource, Origin } from "@/lib/access/identity/origin";
import { config } from "@/lib/platform/config";
import { parseIfMatch } from "@/lib/platform/http/conditional";
import { replyToError } from "@/lib/platform/http/errors";
import { canonicalPath, clientAddress, toRequestId } from "@/lib/platform/http/request";
import { jsonResponse, type PlainResponse, type Reply, renderReply, toResponse } from "@/lib/platform/http/response";
import type { RouteContext, RouteParams } from "@/lib/platform/http/route";
import { log } from "@/lib/platform/log";
import { requireDeclaredResponse, UndeclaredResponseError } from "./check-response";
import type { AuthenticatedCall, Declaration, DeclaredHandler, Parsed, Shape } from "./declaration";
import { type HandlerResult, readIdempotencyKey, withIdempotency } from "./idempotency";
import {
  objectSchema,
  parseChangeReason,
  parseParams,
  parseQuery,
  publicUrl,
  rejectUndeclaredDryRun,
} from "./parse-request";

/** Identifies callers by token or session, and decides what they may do. Each method audits what it rejects. */
export interface Authenticator<A extends Access | null> {
  /** @throws if the credentials are missing or invalid */
  authenticate(request: Request, origin: Origin): Promise<A>;
  /** @throws RateLimitedError if the caller sends too many requests */
  limit(caller: A, request: Request): Promise<void>;
  /**
   * Returns the access for this call, narrowed to the practice in its path.
   *
   * @throws if the caller may not make this call
   */
  authorize(caller: A, request: Request, params: RouteParams, origin: Origin): Promise<A>;
  /** What the history records as the source of writes. */
  source: ChangeSource;
  /** Returns the IDs of patients whose data every response below the path holds. */
  patientsInPath(params: object): number[];
  /** Returns who owns the Idempotency-Key of a POST, or null if the endpoint ignores keys. */
  idempotencyOwner(access: A): number | null;
}

/** Whoever follows a signed link. The link is all we know about them. */
const LINK_HOLDER: Actor = { type: "link", id: null, name: "signed link" };

/**
 * Makes the handler of one method of one path. `respond` lists the steps of a call in their order (design §1, §4, §9). Nothing that a
 * caller sends causes a 500.
 */
export function defineHandler<
  D extends Declaration<P, Q, B>,
  A extends Access | null,
  P extends Shape,
  Q extends Shape,
  B,
>(
  declaration: D & Declaration<P, Q, B>,
  authenticator: Authenticator<A>,
  handle: (call: AuthenticatedCall<A, Parsed<P>, Parsed<Q>, B>) => Promise<Reply>,
): DeclaredHandler<D> {
  const paramsSchema = objectSchema(declaration.params);
  const querySchema = objectSchema(declaration.query);

  const respond = async (
    request: Request,
    context: Partial<RouteContext>,
    requestId: string,
    seen: Seen,
  ): Promise<PlainResponse> => {
    const rawParams = (await context.params) ?? {};
    const url = publicUrl(request);
    const path = canonicalPath(url);
    const header = (name: string) => request.headers.get(name);
    const arrival: Origin = {
      actor: LINK_HOLDER,
      source: authenticator.source,
      reason: null,
      requestId,
      operation: declaration.name,
      path,
      address: clientAddress(header) || null,
    };

    // 1. Authenticate, limit, authorize
    const caller = await authenticator.authenticate(request, arrival);
    await authenticator.limit(caller, request);
    const access = await authenticator.authorize(caller, request, rawParams, arrival);
    seen.caller = access?.actor.name;

    // 2. Parse
    const params = parseParams(paramsSchema, rawParams);
    const query = parseQuery(querySchema, url);
    if (access) rejectUndeclaredDryRun(request, url, declaration.query);
    const dryRun = "dry_run" in query && query.dry_run === true;
    const keyOwner = request.method === "POST" ? authenticator.idempotencyOwner(access) : null;
    const key = keyOwner === null ? null : readIdempotencyKey(request);
    const body = await declaration.body?.read(request, context.node?.incoming);
    const origin = access ? { ...arrival, actor: access.actor, reason: parseChangeReason(request) } : arrival;

    // 3. Handle, and audit what the response shows
    const run = async (): Promise<HandlerResult> => {
      const reply = await handle({
        params,
        query,
        body: body?.value as B,
        url,
        requestId,
        header,
        access,
        origin,
        ifMatch: access ? parseIfMatch(header("if-match")) : null,
        requester: { caller: `${origin.actor.type} ${origin.actor.id}`, signal: () => request.signal },
      });
      if (config().CHECK_ANSWERS) requireDeclaredResponse(declaration, reply, { dryRun });
      const patients = reply.patients ?? authenticator.patientsInPath(params);
      const unnamed = reply.unnamed ?? [];
      // Writes audit themselves in their transaction. A dry run writes nothing, so it counts as a read.
      const isRead = request.method === "GET" || dryRun;
      if (isRead && reply.status !== 304) await auditRead(origin, patients, access?.practices ?? [], unnamed);
      return { response: renderReply(reply, declaration.status), patients, unnamed };
    };
    if (!access || keyOwner === null || key === null) return (await run()).response;

    // 4. With an Idempotency-Key: at most once, and a repeated request gets the stored response
    const use = {
      clientId: keyOwner,
      key,
      path,
      // A client that gained or lost a practice must not get an earlier response.
      content: `${request.method} ${path}${url.search}\n${access.practices}\n${body?.fingerprint ?? ""}`,
      oneTimeResponse: declaration.oneTimeResponse ?? false,
    };
    const result = await withIdempotency(use, () =>
      run().catch((error: unknown) => ({ response: errorResponse(error), patients: [], unnamed: [] })),
    );
    if (result.replayed) await auditRead(origin, result.patients, access.practices, result.unnamed);
    return result.response;
  };

  const handler = async (request: Request, context: Partial<RouteContext> = {}): Promise<Response> => {
    const started = performance.now();
    const requestId = toRequestId(request.headers.get("x-request-id"));
    const seen: Seen = {};
    let response: PlainResponse;
    try {
      response = await respond(request, context, requestId, seen).catch(errorResponse);
    } catch (error) {
      log.error({ err: error, request: requestId, endpoint: declaration.name }, "unexpected error");
      const detail = error instanceof UndeclaredResponseError ? error.message : "Something went wrong.";
      response = jsonResponse(500, { detail: `${detail} Quote ${requestId}.`, code: "internal_error" });
    }
    response.headers["x-request-id"] = requestId;
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log.info({ request: requestId, endpoint: declaration.name, client: seen.caller, status: response.status, ms });
    return toResponse(response, context.node);
  };
  return Object.assign(handler, { declaration });
}

/** What the log line says about the caller. */
interface Seen {
  caller?: string | undefined;
}

/** Renders an error that callers may see, and throws any other. */
function errorResponse(error: unknown): PlainResponse {
  const reply = replyToError(error);
  if (!reply) throw error;
  return jsonResponse(reply.status, reply.body, reply.headers);
}
