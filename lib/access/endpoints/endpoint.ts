import { z } from "zod";
import { auditRefusal } from "@/lib/access/audit/security-commands";
import { authenticate } from "@/lib/access/clients/authenticate";
import { countCall } from "@/lib/access/clients/usage-commands";
import type { ClientAccess } from "@/lib/access/identity/access";
import type { ChangeSource, Origin } from "@/lib/access/identity/origin";
import { allows, type Scope, SIGNING_SCOPE } from "@/lib/access/identity/scopes";
import { countAnonymous, countRequest } from "@/lib/platform/http/client-limits";
import { BearerError } from "@/lib/platform/http/errors";
import { clientAddress } from "@/lib/platform/http/request";
import type { Reply } from "@/lib/platform/http/response";
import type { AuthenticatedCall, Call, Declaration, DeclaredHandler, NoShape, Parsed, Shape } from "./declaration";
import { type Authenticator, defineHandler } from "./handler";

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

/** Whether an export of a route file was declared by `endpoint`. */
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

/**
 * Signing a document needs a scope of its own, in addition to the document's (specification, Authentication 8).
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
  await auditRefusal({
    name: "access.denied",
    origin: { ...origin, actor },
    practices,
    cause: "insufficient_scope",
    facts: { scope },
  });
  throw BearerError.insufficient(scope);
}

/** Lets everyone in, within the limit of their address. */
const PUBLIC: Authenticator<null> = {
  authenticate: async () => null,
  limit: (_caller, request) => countAnonymousCall(request),
  authorize: async () => null,
  source: "api",
  patientsInPath: () => [],
  idempotencyOwner: () => null,
};

const countAnonymousCall = (request: Request) => countAnonymous(clientAddress((name) => request.headers.get(name)));

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
    patientsInPath: ({ id }: { id?: number }) => (scope.startsWith("system/patients.") && id !== undefined ? [id] : []),
    idempotencyOwner: ({ clientId }) => clientId,
  };
}

/** An ID in a path: an integer that JSON can carry without loss. */
export const idParam = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Returns null if the text can't be an ID. */
export function parseId(text: unknown): number | null {
  const parsed = idParam.safeParse(text);
  return parsed.success ? parsed.data : null;
}

/** `?dry_run=true`, for writes that offer it (design §4). */
export const dryRunQuery = {
  dry_run: z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true")
    .describe("Shows what the write would do without doing it. The response is 200 with the effects and the result."),
};
