import { z } from "zod";
import { auditRead } from "@/lib/access/audit/commands";
import { auditRejection } from "@/lib/access/audit/security-commands";
import { authenticate, countCall } from "@/lib/access/clients/authenticate";
import type { Access, Actor, ChangeSource, ClientAccess, Origin } from "@/lib/access/identity/access";
import { allows, type Scope, SIGNING_SCOPE } from "@/lib/access/identity/scopes";
import { config } from "@/lib/platform/config";
import { readFromReplica } from "@/lib/platform/db/replica";
import { NotFoundError } from "@/lib/platform/errors";
import { countAnonymous, countRequest } from "@/lib/platform/http/client-limits";
import { parseIfMatch, rejectIfMatch } from "@/lib/platform/http/conditional";
import { BadRequestError, BearerError, replyToError } from "@/lib/platform/http/errors";
import { prefersStrictHandling } from "@/lib/platform/http/preferences";
import { flagQuery } from "@/lib/platform/http/query";
import { clientAddress, splitTarget, toRequestId } from "@/lib/platform/http/request";
import { jsonResponse, type PlainResponse, type Reply, renderReply, toResponse } from "@/lib/platform/http/response";
import type { RouteContext, RouteParams } from "@/lib/platform/http/route";
import { log } from "@/lib/platform/log";
import { observeRequest } from "@/lib/platform/metrics";
import { fromKeys } from "@/lib/platform/objects";
import { logStoreFailure } from "@/lib/platform/storage/store-failure";
import { currentTraceparent, nameRequest } from "@/lib/platform/tracing";
import {
  type AuthenticatedCall,
  type Call,
  type Declaration,
  type DeclaredHandler,
  type NoShape,
  type Parsed,
  requireDeclaredResponse,
  type Shape,
  UndeclaredResponseError,
} from "./declaration";
import { type HandlerResult, readIdempotencyKey, withIdempotency } from "./idempotency";
import { WithUrl } from "./public-url";
import {
  formatParameterNames,
  ignoredParameters,
  memoizeEmptyQuery,
  parseQuery,
  readQuery,
  rejectIgnoredParameters,
  rejectUndeclaredDryRun,
} from "./request-query";

/** A call with an access token. */
export type ClientCall<P, Q, B> = AuthenticatedCall<ClientAccess, P, Q, B>;

interface ClientDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  scope: Scope;
  /** What the history records as the source of writes. Default: `api`. */
  source?: ChangeSource;
  handle: (call: ClientCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

interface PublicDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  scope: "public";
  handle: (call: Call<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

export type RouteHandler = DeclaredHandler<Declaration<Shape, Shape, unknown> & { scope: Scope | "public" }>;

/** Returns whether an export of a route file was declared by `endpoint`. */
export function isRouteHandler(route: object | undefined): route is RouteHandler {
  return route !== undefined && "declaration" in route;
}

/** Declares one method of one path of the API, for clients with a token that has the scope, or for everyone. */
export function endpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: ClientDeclaration<P, Q, B> | PublicDeclaration<P, Q, B>,
): RouteHandler {
  if (declaration.scope !== "public") return tokenEndpoint(declaration);
  return defineHandler(declaration, PUBLIC, declaration.handle);
}

/** Declares an endpoint whose scope is computed, so never a public one. */
export function tokenEndpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: ClientDeclaration<P, Q, B>,
): RouteHandler {
  const { signs = [] } = declaration;
  return defineHandler(declaration, bearerAuth(declaration), async (call) => {
    if (signs.length > 0) await requireSigningScope(call, signs);
    return declaration.handle(call);
  });
}

/** Identifies callers by token or session, and decides what they may do. Each method audits what it rejects. */
export interface Authenticator<A extends Access | null> {
  /** @throws if the credentials are missing or invalid */
  authenticate(request: Request, origin: Origin): Promise<A>;
  /** @throws RateLimitedError if the caller sends too many requests */
  limit(caller: A, request: Request): Promise<void>;
  /**
   * Returns the access for this call, narrowed to the practice in its path.
   *
   * @throws if the caller is not allowed to make this call
   */
  authorize(caller: A, request: Request, params: RouteParams, origin: Origin): Promise<A>;
  /** What the history records as the source of writes. */
  source: ChangeSource;
  /** Whether callers can prefer lenient handling, the default, or strict handling (ADR 0222). */
  isLenient: boolean;
  /** Returns the IDs of patients whose data every response below the path holds. */
  patientsInPath(params: object): number[];
  /** Returns who owns the Idempotency-Key of a POST, or null if the endpoint ignores keys. */
  idempotencyOwner(access: A): number | null;
}

/** The actor of public requests. Requests with signed links say nothing else about the sender. */
const LINK_HOLDER: Actor = { type: "link", id: null, name: "signed link" };

/**
 * Makes the handler of one method of one path. `respond` lists the steps of a call in their order. Nothing that a
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
  const parseParams = paramsParser(declaration.params);
  const querySchema = objectSchema(declaration.query);
  const withoutQuery = memoizeEmptyQuery(querySchema);

  const respond = async (
    request: Request,
    context: Partial<RouteContext>,
    requestId: string,
    seen: Seen,
  ): Promise<PlainResponse> => {
    const rawParams = (await context.params) ?? {};
    const { path, search } = splitTarget(request.url);
    const header = (name: string) => request.headers.get(name);
    const arrival: Origin = {
      actor: LINK_HOLDER,
      source: authenticator.source,
      reason: null,
      requestId,
      operation: declaration.name,
      path,
      address: clientAddress(header) || null,
      ...currentTraceparent(),
    };

    // 1. Authenticate, limit, authorize
    const caller = await authenticator.authenticate(request, arrival);
    await authenticator.limit(caller, request);
    const access = await authenticator.authorize(caller, request, rawParams, arrival);
    if (access) seen.caller = `${access.actor.type} ${access.actor.id}`;

    // 2. Parse
    const params = parseParams(rawParams);
    const { isLenient } = authenticator;
    const isStrict = isLenient && prefersStrictHandling(request);
    const sent = search === "" ? null : readQuery(search);
    const ignored = isLenient && sent ? ignoredParameters(sent, declaration.query) : [];
    Object.assign(seen, { isStrict, ignored });
    if (isStrict) rejectIgnoredParameters(ignored);
    const query = sent ? parseQuery(querySchema, sent) : withoutQuery();
    if (access && sent) rejectUndeclaredDryRun(request, sent, declaration.query);
    const ifMatch = access ? parseIfMatch(header("if-match")) : null;
    const isWrite = request.method !== "GET" && request.method !== "HEAD";
    if (access && isLenient && isWrite && !declaration.conditional) rejectIfMatch(header("if-match"));
    const dryRun = "dry_run" in query && query.dry_run === true;
    const keyOwner = request.method === "POST" ? authenticator.idempotencyOwner(access) : null;
    const key = keyOwner === null ? null : readIdempotencyKey(request);
    const body = await declaration.body?.read(request, {
      incoming: context.node?.incoming,
      isLenient: isLenient && !isStrict,
    });
    const origin = access ? { ...arrival, actor: access.actor, reason: parseChangeReason(request) } : arrival;

    // 3. Handle, and audit what the response shows
    const run = async (): Promise<HandlerResult> => {
      const call = Object.assign(new WithUrl(request), {
        params,
        query,
        body: body?.value as B,
        requestId,
        header,
        access,
        origin,
        ifMatch,
        requester: { caller: `${origin.actor.type} ${origin.actor.id}`, requestId, signal: () => request.signal },
      });
      const reply = await (declaration.readsMuch ? readFromReplica(() => handle(call)) : handle(call));
      if (config().CHECK_RESPONSES) requireDeclaredResponse(declaration, reply, { dryRun });
      const patients = reply.patients ?? authenticator.patientsInPath(params);
      const unnamed = reply.unnamed ?? [];
      // Writes audit themselves in their transaction. A dry run writes nothing, so it counts as a read.
      const isRead = request.method === "GET" || dryRun;
      if (isRead && reply.status !== 304) await auditRead(origin, patients, unnamed);
      return { response: renderReply(reply, declaration.status), patients, unnamed };
    };
    if (!access || keyOwner === null || key === null) return (await run()).response;

    // 4. With an Idempotency-Key: at most once, and a repeated request gets the stored response
    const use = {
      clientId: keyOwner,
      key,
      path,
      // A client that gained or lost a practice must not get an earlier response.
      // After a 412, a client sends a newer `If-Match`. It must not get the stored 412 again.
      content: `${request.method} ${path}${search}\n${access.practices}\n${body?.fingerprint() ?? ""}${header("if-match") ?? ""}`,
      oneTimeResponse: declaration.oneTimeResponse ?? false,
      requestId,
    };
    const result = await withIdempotency(use, () =>
      run().catch((error: unknown) => ({ response: errorResponse(error, requestId), patients: [], unnamed: [] })),
    );
    if (result.replayed) await auditRead(origin, result.patients, result.unnamed);
    return result.response;
  };

  const handler = async (request: Request, context: Partial<RouteContext> = {}): Promise<Response> => {
    const started = performance.now();
    const requestId = toRequestId(request.headers.get("x-request-id"));
    nameRequest(declaration.name, requestId);
    const seen: Seen = {};
    let response: PlainResponse;
    try {
      response = await respond(request, context, requestId, seen).catch((error) => errorResponse(error, requestId));
    } catch (error) {
      log.error({ err: error, request: requestId, endpoint: declaration.name }, "unexpected error");
      const detail = error instanceof UndeclaredResponseError ? error.message : "Something went wrong.";
      response = jsonResponse(500, { detail: `${detail} Quote ${requestId}.`, code: "internal_error" });
    }
    response.headers["x-request-id"] = requestId;
    nameIgnored(response, seen);
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log.info({ request: requestId, endpoint: declaration.name, client: seen.caller, status: response.status, ms });
    observeRequest(declaration.name, response.status, ms);
    return toResponse(response, context.node);
  };
  return Object.assign(handler, { declaration });
}

/** What is known about a request once it has been handled, even if it failed. */
interface Seen {
  caller?: string | undefined;
  isStrict?: boolean;
  /** Names of parameters that the endpoint doesn't declare. */
  ignored?: readonly string[];
}

/** Tells the client which parameters had no effect, and whether unknown ones would have been rejected (RFC 7240 §3). */
function nameIgnored({ headers }: PlainResponse, { ignored = [], isStrict }: Seen): void {
  if (isStrict) headers["preference-applied"] = "handling=strict";
  else if (ignored.length > 0) headers["x-ignored-parameters"] = formatParameterNames(ignored);
}

/** Renders an error that callers may see, and throws any other. */
function errorResponse(error: unknown, requestId: string): PlainResponse {
  const reply = replyToError(error);
  if (!reply) throw error;
  logStoreFailure(error, { request: requestId });
  return jsonResponse(reply.status, reply.body, reply.headers);
}

/** Lets clients in whose access token has the scope. */
function bearerAuth(declared: { name: string; scope: Scope; source?: ChangeSource }): Authenticator<ClientAccess> {
  const { name, scope, source = "api" } = declared;
  const isPolicies = /^(policies|card_images)\./.test(name);
  return {
    authenticate: (request, origin) =>
      authenticate(request.headers.get("authorization"), origin, () => countAnonymousCall(request)),
    limit: ({ clientId }) => countRequest(clientId),
    async authorize(access, _request, params, origin) {
      await requireScope(access, scope, origin);
      countCall(access.clientId, isPolicies ? parseId(params.id) : null);
      return access;
    },
    source,
    isLenient: true,
    patientsInPath: ({ id }: { id?: number }) => (scope.startsWith("system/patients.") && id !== undefined ? [id] : []),
    idempotencyOwner: ({ clientId }) => clientId,
  };
}

/** Lets everyone in, within the limit of their address. */
const PUBLIC: Authenticator<null> = {
  authenticate: async () => null,
  limit: (_caller, request) => countAnonymousCall(request),
  authorize: async () => null,
  source: "api",
  isLenient: true,
  patientsInPath: () => [],
  idempotencyOwner: () => null,
};

const countAnonymousCall = (request: Request) => countAnonymous(clientAddress((name) => request.headers.get(name)));

/**
 * Signing a document needs a separate scope, in addition to the document's (specification, Authentication 8).
 *
 * @throws BearerError insufficient_scope
 */
async function requireSigningScope<B>(
  { access, origin, body }: Pick<ClientCall<unknown, unknown, B>, "access" | "origin" | "body">,
  signs: readonly string[],
): Promise<void> {
  const sent: Readonly<Record<string, unknown>> = Object(body);
  if (signs.some((name) => sent[name])) await requireScope(access, SIGNING_SCOPE, origin);
}

/** @throws BearerError insufficient_scope, which is audited */
async function requireScope({ actor, practices, scopes }: ClientAccess, scope: Scope, origin: Origin): Promise<void> {
  if (allows(scopes, scope)) return;
  await auditRejection({
    name: "access.denied",
    origin: { ...origin, actor },
    practices,
    cause: "insufficient_scope",
    facts: { scope },
  });
  throw BearerError.insufficient(scope);
}

/** Builds a schema from the declared fields. The cast is needed because Zod can't infer `Parsed<S>` for a generic S. */
export function objectSchema<S extends Shape>(shape: S | undefined): z.ZodType<Parsed<S>> {
  return z.object(shape ?? {}) as z.ZodType as z.ZodType<Parsed<S>>;
}

/**
 * Returns a function that parses path parameters. If all are IDs, as in most paths, it does so without Zod, which takes ten times as long.
 *
 * The function throws a NotFoundError if a parameter can't be an ID, as if no such record existed.
 */
function paramsParser<P extends Shape>(declared: P | undefined): (params: RouteParams) => Parsed<P> {
  const schema = objectSchema(declared);
  const names = Object.keys(declared ?? {});
  if (names.every((name) => declared?.[name] === idParam)) {
    return (params) => fromKeys(names, (name) => requireId(params[name])) as Parsed<P>;
  }
  return (params) => {
    const parsed = schema.safeParse(params);
    if (!parsed.success) throw new NotFoundError();
    return parsed.data;
  };
}

function requireId(text: unknown): number {
  const id = parseId(text);
  if (id === null) throw new NotFoundError();
  return id;
}

/** Reads X-Change-Reason, or returns null if it is missing or blank. */
export function parseChangeReason(request: Request): string | null {
  const header = request.headers.get("x-change-reason");
  if (header === null) return null;
  // Decode before trimming: the last byte of a UTF-8 letter may look like a Latin-1 space.
  const reason = decodeHeader(header).trim() || null;
  if (reason && reason.length > MAX_REASON_LENGTH) {
    throw new BadRequestError("invalid_reason", `X-Change-Reason: at most ${MAX_REASON_LENGTH} characters.`);
  }
  return reason;
}

const MAX_REASON_LENGTH = 500;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes a header. HTTP passes its bytes on as Latin-1, but almost every client sends UTF-8. */
function decodeHeader(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

const ID = /^\d{1,16}$/;

/** An ID in a path: an integer that JSON can carry without loss. */
export const idParam = z
  .string()
  .regex(ID)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Returns null if the text can't be an ID. */
export function parseId(text: unknown): number | null {
  if (typeof text !== "string" || !ID.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}

/** `?dry_run=true`, for writes that offer it. */
export const dryRunQuery = {
  dry_run: flagQuery(
    "Shows what the write would do without doing it. The response is 200 with the effects and the result.",
  ),
};
