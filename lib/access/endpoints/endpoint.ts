import { z } from "zod";
import { auditRefusal } from "@/lib/access/audit/security-commands";
import { authenticate } from "@/lib/access/clients/authenticate";
import { countCall } from "@/lib/access/clients/usage-commands";
import type { ClientAccess } from "@/lib/access/identity/access";
import type { ChangeSource, Origin } from "@/lib/access/identity/origin";
import { allows, type Scope, SIGNING_SCOPE } from "@/lib/access/identity/scopes";
import { clientAddress } from "@/lib/platform/http/client-address";
import { countAnonymous, countRequest } from "@/lib/platform/http/client-limits";
import { BearerError } from "@/lib/platform/http/errors";
import type { Reply } from "@/lib/platform/http/reply";
import {
  type AuthenticatedCall,
  type Authenticator,
  type Call,
  type Declaration,
  defineHandler,
  type NoShape,
  type Parsed,
  type Shape,
} from "./handler";

/** What a handler behind a token gets. */
export type ClientCall<P, Q, B> = AuthenticatedCall<ClientAccess, P, Q, B>;

interface AuthorizedDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  scope: Scope;
  /** Through which door a write of this endpoint comes, for the history. */
  source?: ChangeSource;
  handle: (call: ClientCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

interface PublicDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  scope: "public";
  handle: (call: Call<Parsed<P>, Parsed<Q>, B> & { origin: Origin }) => Promise<Reply>;
}

type EitherDeclaration<P extends Shape, Q extends Shape, B> =
  | AuthorizedDeclaration<P, Q, B>
  | PublicDeclaration<P, Q, B>;

export type RouteHandler = ((
  request: Request,
  context?: { params?: Promise<Record<string, string | string[]>> },
) => Promise<Response>) & {
  declaration: Declaration<Shape, Shape, unknown> & { scope: Scope | "public" };
};

/** Declares one method of one path of the API (`defineHandler`), for whoever has a token with its scope. */
export function endpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: EitherDeclaration<P, Q, B>,
): RouteHandler {
  if (declaration.scope !== "public") return tokenEndpoint(declaration);
  const handler = defineHandler(declaration as Declaration<P, Q, B>, OPEN, declaration.handle);
  return handler as unknown as RouteHandler;
}

/** The same where the scope is computed: never a public one. */
export function tokenEndpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: AuthorizedDeclaration<P, Q, B>,
): RouteHandler {
  const { signs = [] } = declaration;
  const handle = async (call: ClientCall<Parsed<P>, Parsed<Q>, B>) => {
    if (signs.length > 0) await requireSigningScope(call, signs);
    return declaration.handle(call);
  };
  const handler = defineHandler(declaration as Declaration<P, Q, B>, bearerAuth(declaration), handle);
  return handler as unknown as RouteHandler;
}

/**
 * Who signs a document takes the scope for that, beside the document's own (specification, Authentication 8).
 *
 * @throws BearerError insufficient_scope
 */
async function requireSigningScope(
  call: Pick<ClientCall<unknown, unknown, unknown>, "access" | "origin" | "body">,
  signs: readonly string[],
): Promise<void> {
  const sent = call.body as Readonly<Record<string, unknown>>;
  if (signs.some((name) => sent[name])) await requireScope(call.access, SIGNING_SCOPE, call.origin);
}

/** @throws BearerError insufficient_scope, which is audited */
async function requireScope(access: ClientAccess, scope: Scope, origin: Origin): Promise<void> {
  if (allows(access.scopes, scope)) return;
  const { actor, practices } = access;
  const refused = { origin: { ...origin, actor }, practices, cause: "insufficient_scope", facts: { scope } };
  await auditRefusal({ name: "access.denied", ...refused });
  throw BearerError.insufficient(scope);
}

const OPEN: Authenticator<null> = {
  async authenticate(request) {
    await countAnonymousCall(request);
    return null;
  },
  source: "api",
  patientsOf: () => [],
  idempotencyOwner: () => null,
};

const countAnonymousCall = (request: Request) => countAnonymous(clientAddress((name) => request.headers.get(name)));

function bearerAuth(of: { name: string; scope: Scope; source?: ChangeSource }): Authenticator<ClientAccess> {
  const { name, scope, source = "api" } = of;
  const isPolicies = /^(policies|card_images)\./.test(name);
  return {
    async authenticate(request, params, origin) {
      const access = await authenticate(request.headers.get("authorization"), origin, () =>
        countAnonymousCall(request),
      );
      await countRequest(access.clientId);
      await requireScope(access, scope, origin);
      const patient = isPolicies ? idParam.safeParse(params.id) : null;
      countCall(access.clientId, patient?.success ? patient.data : null);
      return access;
    },
    source,
    patientsOf: (params) => patientOf(scope, params),
    idempotencyOwner: ({ clientId }) => clientId,
  };
}

/** Below `patients/{id}` every answer is about that patient. */
function patientOf(scope: Scope, params: { id?: number }): number[] {
  return scope.startsWith("system/patients.") && params.id !== undefined ? [params.id] : [];
}

/** An id in a path: a 64-bit integer that JSON can carry. */
export const idParam = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .refine(Number.isSafeInteger)
  .meta({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The id a text of a path stands for; null where it can't be one. */
export function parseId(text: string): number | null {
  const parsed = idParam.safeParse(text);
  return parsed.success ? parsed.data : null;
}

/** `?dry_run=true` on writes that offer it (design §4). */
export const dryRunQuery = {
  dry_run: z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true")
    .describe("Say what the write would do, and write nothing. The answer is a 200 with the effects and the result."),
};
