import { z } from "zod";
import { auditRead } from "@/lib/audit/commands";
import { config } from "@/lib/config";
import { NotFoundError, ValidationError } from "@/lib/errors";
import type { ChangeSource, Origin } from "@/lib/history/origin";
import type { IfMatch } from "@/lib/history/version";
import { log } from "@/lib/log";
import type { ClientAccess } from "@/lib/oauth/access";
import { authenticate } from "@/lib/oauth/authenticate";
import { allows, type Scope } from "@/lib/oauth/scopes";
import type { BodyReader } from "./body";
import { addressOf } from "./client-address";
import { countRequest } from "./client-limits";
import { parseIfMatch } from "./conditional";
import { BadRequestError, BearerError, replyToError } from "./errors";
import { type Answered, idempotencyKeyOf, once } from "./idempotency";
import { pathOf } from "./path";
import { imageResponse, jsonResponse, type Reply } from "./reply";
import { requestIdFor } from "./request-id";
import { parseOrThrow } from "./validation";

type Shape = z.ZodRawShape;
type Parsed<S extends Shape> = z.output<z.ZodObject<S>>;
// biome-ignore lint/complexity/noBannedTypes: exactly the empty shape is meant, a Record would give it every key.
type NoShape = {};

/** What every handler gets: nothing of it is a Request. */
export interface Call<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  url: URL;
  requestId: string;
  header: (name: string) => string | null;
}

/** What a handler behind a token gets besides. */
export interface AuthorizedCall<P, Q, B> extends Call<P, Q, B> {
  access: ClientAccess;
  origin: Origin;
  ifMatch: IfMatch;
}

interface Declaration<P extends Shape, Q extends Shape, B> {
  /** `domain.verb`, as the log and the API description name it. */
  name: string;
  params?: P;
  query?: Q;
  body?: BodyReader<B>;
  /** Shape of the answer's body; left out where there is none. */
  response?: z.ZodType;
  /** The usual status. */
  status: number;
}

interface AuthorizedDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  scope: Scope;
  /** Through which door a write of this endpoint comes, for the history. */
  source?: ChangeSource;
  handle: (call: AuthorizedCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

interface PublicDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  scope: "public";
  handle: (call: Call<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

type EitherDeclaration<P extends Shape, Q extends Shape, B> =
  | AuthorizedDeclaration<P, Q, B>
  | PublicDeclaration<P, Q, B>;

type RouteContext = { params?: Promise<Record<string, string | string[]>> };
export type RouteHandler = ((request: Request, context?: RouteContext) => Promise<Response>) & {
  declaration: Declaration<Shape, Shape, unknown> & { scope: Scope | "public" };
};

/**
 * Declares one method of one path. In this order: request id, authentication, scope and practice access, rate limit,
 * parsing, idempotency, handler, audit of what was read, response, error mapping, log line (design §1, §4, §9). Nothing a
 * client sends makes a 500.
 */
export function endpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: EitherDeclaration<P, Q, B>,
): RouteHandler {
  const params = z.object(declaration.params ?? ({} as P));
  const query = z.object(declaration.query ?? ({} as Q));

  const answer = async (
    request: Request,
    context: RouteContext | undefined,
    requestId: string,
    seen: Seen,
  ): Promise<Response> => {
    const access = declaration.scope === "public" ? null : await gate(request, declaration.scope);
    seen.client = access?.actor.name;
    const url = publicUrl(request);
    const call: Call<Parsed<P>, Parsed<Q>, B> = {
      params: parseParams(params, (await context?.params) ?? {}),
      query: url.search === "" && !declaration.query ? ({} as Parsed<Q>) : parseOrThrow(query, queryOf(url)),
      body: undefined as B,
      url,
      requestId,
      header: (name) => request.headers.get(name),
    };
    if (access) refuseDryRun(request, url, declaration.query);
    const key = access && request.method === "POST" ? idempotencyKeyOf(request) : null;
    const body = declaration.body ? await declaration.body.read(request) : null;
    if (body) call.body = body.value;

    const path = pathOf(url);
    const origin: Origin = {
      actor: access?.actor ?? LINK_HOLDER,
      source: declaration.scope === "public" ? "api" : (declaration.source ?? "api"),
      reason: access ? reasonOf(request) : null,
      requestId,
      operation: declaration.name,
      path,
      address: addressOf(call.header) || null,
    };
    const run = async (): Promise<Answered> => {
      const reply =
        declaration.scope === "public"
          ? await declaration.handle(call)
          : await declaration.handle({
              ...call,
              ...{ access: access as ClientAccess, origin, ifMatch: parseIfMatch(request.headers.get("if-match")) },
            });
      // A write is audited in its own transaction, and a dry run writes nothing: all it did was to show.
      const reads = request.method === "GET" || (call.query as { dry_run?: boolean }).dry_run === true;
      const patients = reply.patients ?? patientOf(declaration.scope, call.params);
      if (reads && reply.status !== 304) await auditRead(origin, patients, access?.practices ?? []);
      return { response: toResponse(reply, declaration.status), patients };
    };
    if (!access || key === null) return (await run()).response;
    // A client that lost or gained a practice since is not answered from before.
    const content = `${request.method} ${path}${url.search}\n${access.practices}\n${body?.fingerprint ?? ""}`;
    const use = { clientId: access.clientId, key, path, content };
    const { response, patients, replayed } = await once(use, () => run().catch(answerError));
    if (replayed) await auditRead(origin, patients, access.practices);
    return response;
  };

  const handler = async (request: Request, context?: RouteContext): Promise<Response> => {
    const started = performance.now();
    const requestId = requestIdFor(request.headers.get("x-request-id"));
    const seen: Seen = {};
    let response: Response;
    try {
      response = await answer(request, context, requestId, seen).catch(toErrorResponse);
    } catch (error) {
      log.error({ err: error, request: requestId, endpoint: declaration.name }, "unexpected error");
      response = jsonResponse(500, { detail: `Something went wrong. Quote ${requestId}.`, code: "internal_error" });
    }
    response.headers.set("x-request-id", requestId);
    const ms = Math.round((performance.now() - started) * 10) / 10;
    log.info({ request: requestId, endpoint: declaration.name, client: seen.client, status: response.status, ms });
    return response;
  };
  return Object.assign(handler, { declaration: declaration as RouteHandler["declaration"] });
}

/** What the log line tells of the caller. */
interface Seen {
  client?: string | undefined;
}

async function gate(request: Request, scope: Scope): Promise<ClientAccess> {
  const access = await authenticate(request.headers.get("authorization"));
  if (!allows(access.scopes, scope)) throw BearerError.insufficient(scope);
  await countRequest(access.clientId);
  return access;
}

/** Below `patients/{id}` every answer is about that patient. */
function patientOf(scope: string, params: { id?: number }): number[] {
  return scope.startsWith("system/patients.") && params.id !== undefined ? [params.id] : [];
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

/** The URL as the client wrote it, for links in answers. */
function publicUrl(request: Request): URL {
  const url = new URL(request.url);
  const base = config().PUBLIC_URL;
  // Next tells the host the client wrote in a header alone; our server lets that header through from a trusted proxy only.
  const forwarded = request.headers.get("x-forwarded-host")?.split(",").at(-1)?.trim();
  if (!base && !forwarded) return url;
  const address = base ?? `${url.protocol}//${forwarded}`;
  const { protocol, host } = URL.canParse(address) ? new URL(address) : url;
  url.protocol = protocol;
  url.port = "";
  url.host = host;
  return url;
}

/** Path parameters that can't be ids name nothing: 404, as for an id that does not exist. */
function parseParams<T>(schema: z.ZodType<T>, params: Record<string, string | string[]>): T {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new NotFoundError();
  return parsed.data;
}

function queryOf(url: URL): Record<string, string | string[]> {
  const query = new Map<string, string | string[]>();
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name);
    if (values.some((value) => value.includes("\u0000")))
      throw new ValidationError({ [name]: ["May not contain NUL."] });
    query.set(name, values.length === 1 ? (values[0] as string) : values);
  }
  return Object.fromEntries(query);
}

/** A dry run that an endpoint does not offer would be the real thing: it is refused, never ignored. */
function refuseDryRun(request: Request, url: URL, declared: Shape | undefined): void {
  const writes = request.method !== "GET" && request.method !== "HEAD";
  if (!writes || (declared && "dry_run" in declared) || !url.searchParams.has("dry_run")) return;
  throw new ValidationError({ dry_run: ["This endpoint offers no dry run."] });
}

function toResponse(reply: Reply, status: number): Response {
  if (reply.image) return imageResponse(reply.image);
  return jsonResponse(reply.status ?? status, reply.body, reply.headers);
}

function answerError(error: unknown): Answered {
  return { response: toErrorResponse(error), patients: [] };
}

function toErrorResponse(error: unknown): Response {
  const reply = replyToError(error);
  if (!reply) throw error;
  return jsonResponse(reply.status, reply.body, reply.headers);
}

/** An id in a path: a 64-bit integer that JSON can carry. */
export const idParam = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger);

/** `?dry_run=true` on writes that offer it (design §4). */
export const dryRunQuery = {
  dry_run: z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true"),
};
