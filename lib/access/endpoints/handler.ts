import { z } from "zod";
import { auditRead } from "@/lib/access/audit/commands";
import type { Access } from "@/lib/access/identity/access";
import type { ChangeSource, Origin } from "@/lib/access/identity/origin";
import { config } from "@/lib/platform/config";
import { NotFoundError, ValidationError } from "@/lib/platform/errors";
import type { BodyReader } from "@/lib/platform/http/body";
import { clientAddress } from "@/lib/platform/http/client-address";
import { parseIfMatch } from "@/lib/platform/http/conditional";
import { BadRequestError, replyToError } from "@/lib/platform/http/errors";
import { canonicalPath } from "@/lib/platform/http/path";
import { isStorable, queryErrorMessage } from "@/lib/platform/http/query";
import { jsonResponse, type Reply, renderReply } from "@/lib/platform/http/reply";
import { toRequestId } from "@/lib/platform/http/request-id";
import type { RouteContext } from "@/lib/platform/http/route-table";
import { type PlainResponse, toResponse } from "@/lib/platform/http/send";
import { parseOrThrow } from "@/lib/platform/http/validation";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { log } from "@/lib/platform/log";
import { publicOrigin } from "@/lib/platform/public-url";
import type { IfMatch } from "@/lib/platform/versions";
import { requireDeclaredResponse, UndeclaredResponseError } from "./check-response";
import { type HandlerResult, readIdempotencyKey, withIdempotency } from "./idempotency";
import type { ResponseHeader } from "./responses";

export type Shape = z.ZodRawShape;
export type Parsed<S extends Shape> = z.output<z.ZodObject<S>>;
// biome-ignore lint/complexity/noBannedTypes: exactly the empty shape is meant, a Record would give it every key.
export type NoShape = {};

/** What every handler gets: nothing of it is a Request. */
export interface Call<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  url: URL;
  requestId: string;
  header: (name: string) => string | null;
}

/** What a handler gets behind a door besides. */
export interface AuthenticatedCall<A, P, Q, B> extends Call<P, Q, B> {
  access: A;
  origin: Origin;
  ifMatch: IfMatch;
  /** Who waits for the answer. */
  requester: Requester;
}

/** What the API description says of an endpoint beside what follows from its declaration. */
export interface EndpointDocumentation {
  /** One line; left out, its name in words. */
  summary?: string;
  /** What a caller has to know besides, in Markdown. */
  description?: string;
  /** The part of the description it stands in; left out, the group of its scope. */
  group?: string;
  /** Statuses of refusals that do not follow from the declaration: 409, 410, 422. */
  refusals?: readonly number[];
  /** A write goes by If-Match where it is sent (412), a read by If-None-Match (304). */
  conditional?: true;
  deprecated?: true;
  /** Fields of the body that sign a document: who sends one takes the scope of signing, too. */
  signs?: readonly string[];
  /** Headers of its answers, beside those that follow from the declaration. */
  headers?: readonly ResponseHeader[];
  /** Media types of an answer that is no JSON; any (`ANY_TYPE`) where it is the type a file came with. */
  produces?: readonly string[];
}

/** What every declaration of one method of one path has. */
export interface Declaration<P extends Shape, Q extends Shape, B> extends EndpointDocumentation {
  /** `domain.verb`, as the log and the API description name it. */
  name: string;
  params?: P;
  query?: Q;
  body?: BodyReader<B>;
  /** Shape of the answer's body; left out where there is none. Where nothing is answered but to a dry run: of its result. */
  response?: z.ZodType;
  /** The usual status. */
  status: number;
  /** The answer holds what is told once: it is not kept for an Idempotency-Key, though that it was given is. */
  oneTimeResponse?: true;
}

/** Who comes in, and how what they do is kept. */
export interface Authenticator<A extends Access | null> {
  /**
   * @param origin of the request, by nobody known yet: what is refused is audited with it
   * @throws where the caller may not come in
   */
  authenticate(request: Request, params: RawParams, origin: Origin): Promise<A>;
  /** Through which door a write comes, for the history. */
  source: ChangeSource;
  /** Ids of the patients whose data every answer holds. */
  patientsOf(params: object): number[];
  /** Whose Idempotency-Key a POST carries, or null where keys are not taken. */
  idempotencyOwner(access: A): number | null;
}

type RawParams = Record<string, string | string[]>;

/**
 * One method of one path. In this order: request id, the door (authentication, scope or role, practice access, rate limit),
 * parsing, idempotency, handler, check of the answer (not in production), audit of what was read, response, error mapping, log line (design §1, §4, §9). Nothing a
 * caller sends makes a 500.
 */
export function defineHandler<
  D extends Declaration<P, Q, B>,
  A extends Access | null,
  P extends Shape,
  Q extends Shape,
  B,
>(
  declaration: D & Declaration<P, Q, B>,
  door: Authenticator<A>,
  handle: (call: AuthenticatedCall<A, Parsed<P>, Parsed<Q>, B>) => Promise<Reply>,
): ((request: Request, context?: Partial<RouteContext>) => Promise<Response>) & { declaration: D } {
  const params = z.object(declaration.params ?? ({} as P));
  const query = z.object(declaration.query ?? ({} as Q));

  const answer = async (
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
      source: door.source,
      reason: null,
      requestId,
      operation: declaration.name,
      path,
      address: clientAddress(header) || null,
    };
    const access = await door.authenticate(request, rawParams, arrival);
    seen.caller = access?.actor.name;
    const call: Call<Parsed<P>, Parsed<Q>, B> = {
      params: parseParams(params, rawParams),
      query:
        url.search === "" && !declaration.query
          ? ({} as Parsed<Q>)
          : parseOrThrow(query, queryOf(url), queryErrorMessage),
      body: undefined as B,
      url,
      requestId,
      header,
    };
    if (access) refuseDryRun(request, url, declaration.query);
    const keeper = door.idempotencyOwner(access);
    const key = keeper !== null && request.method === "POST" ? readIdempotencyKey(request) : null;
    const body = declaration.body ? await declaration.body.read(request, context.node?.incoming) : null;
    if (body) call.body = body.value;

    const origin: Origin = access ? { ...arrival, actor: access.actor, reason: reasonOf(request) } : arrival;
    const run = async (): Promise<HandlerResult> => {
      const ifMatch = access ? parseIfMatch(request.headers.get("if-match")) : null;
      const { type, id } = origin.actor;
      const requester: Requester = { caller: `${type} ${id}`, signal: () => request.signal };
      const reply = await handle({ ...call, access, origin, ifMatch, requester });
      const dryRun = (call.query as { dry_run?: boolean }).dry_run === true;
      if (config().CHECK_ANSWERS) requireDeclaredResponse(declaration, reply, { dryRun });
      // A write is audited in its own transaction, and a dry run writes nothing: all it did was to show.
      const reads = request.method === "GET" || dryRun;
      const patients = reply.patients ?? door.patientsOf(call.params);
      if (reads && reply.status !== 304) await auditRead(origin, patients, access?.practices ?? [], reply.unnamed);
      return { response: renderReply(reply, declaration.status), patients, unnamed: reply.unnamed ?? [] };
    };
    if (!access || keeper === null || key === null) return (await run()).response;
    // A client that lost or gained a practice since is not answered from before.
    const content = `${request.method} ${path}${url.search}\n${access.practices}\n${body?.fingerprint ?? ""}`;
    const use = { clientId: keeper, key, path, content, toldOnce: declaration.oneTimeResponse ?? false };
    const { response, patients, unnamed, replayed } = await withIdempotency(use, () => run().catch(answerError));
    if (replayed) await auditRead(origin, patients, access.practices, unnamed);
    return response;
  };

  const handler = async (request: Request, context: Partial<RouteContext> = {}): Promise<Response> => {
    const started = performance.now();
    const requestId = toRequestId(request.headers.get("x-request-id"));
    const seen: Seen = {};
    let response: PlainResponse;
    try {
      response = await answer(request, context, requestId, seen).catch(toErrorResponse);
    } catch (error) {
      log.error({ err: error, request: requestId, endpoint: declaration.name }, "unexpected error");
      const told = error instanceof UndeclaredResponseError ? error.message : "Something went wrong.";
      response = jsonResponse(500, { detail: `${told} Quote ${requestId}.`, code: "internal_error" });
    }
    response.headers["x-request-id"] = requestId;
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log.info({ request: requestId, endpoint: declaration.name, client: seen.caller, status: response.status, ms });
    return toResponse(response, context.node);
  };
  return Object.assign(handler, { declaration });
}

/** What the log line tells of the caller. */
interface Seen {
  caller?: string | undefined;
}

/** Whoever opens a signed link: the link is all that is known of them. */
const LINK_HOLDER = { type: "link" as const, id: null, name: "signed link" };

function reasonOf(request: Request): string | null {
  // Decoded before it is trimmed: the last byte of a letter may look like a space of Latin-1.
  const reason = textOf(request.headers.get("x-change-reason") ?? "").trim() || null;
  if (reason && reason.length > 500)
    throw new BadRequestError("invalid_reason", "X-Change-Reason: at most 500 characters.");
  return reason;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A header's text: HTTP hands its bytes on as Latin-1, and almost every client sent UTF-8. */
function textOf(header: string): string {
  try {
    return utf8.decode(Buffer.from(header, "latin1"));
  } catch {
    return header;
  }
}

/** The request's URL at our public address, for links in responses. */
function publicUrl(request: Request): URL {
  return new URL(publicOrigin() + request.url.slice(request.url.indexOf("/", "https://".length)));
}

/** Path parameters that can't be ids name nothing: 404, as for an id that does not exist. */
function parseParams<T>(schema: z.ZodType<T>, params: Record<string, string | string[]>): T {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new NotFoundError();
  return parsed.data;
}

/** No path declares nearly as many. A URL has room for thousands, which would be slow to validate. */
const MOST_PARAMETERS = 200;

function queryOf(url: URL): Record<string, string | string[]> {
  const query = new Map<string, string[]>();
  let count = 0;
  for (const [name, value] of url.searchParams) {
    if (++count > MOST_PARAMETERS)
      throw new ValidationError({ non_field_errors: [`The URL has more than ${MOST_PARAMETERS} query parameters.`] });
    if (!isStorable(value)) throw new ValidationError({ [name]: ["May not contain NUL."] });
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return Object.fromEntries(
    [...query].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  ) as Record<string, string | string[]>;
}

/** A dry run that an endpoint does not offer would be the real thing: it is refused, never ignored. */
function refuseDryRun(request: Request, url: URL, declared: Shape | undefined): void {
  const writes = request.method !== "GET" && request.method !== "HEAD";
  if (!writes || (declared && "dry_run" in declared) || !url.searchParams.has("dry_run")) return;
  throw new ValidationError({ dry_run: ["This endpoint offers no dry run."] });
}

function answerError(error: unknown): HandlerResult {
  return { response: toErrorResponse(error), patients: [], unnamed: [] };
}

function toErrorResponse(error: unknown): PlainResponse {
  const reply = replyToError(error);
  if (!reply) throw error;
  return jsonResponse(reply.status, reply.body, reply.headers);
}
