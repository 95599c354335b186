import { auditSecurity } from "@/lib/access/audit/security-commands";
import { auditSessionlessCall, findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { auditDeniedStaff } from "@/lib/access/staff/audit-commands";
import { includesRole, type StaffRole } from "@/lib/access/staff/roles";
import { config } from "@/lib/platform/config";
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  NotSignedInError,
  VersionRequiredError,
} from "@/lib/platform/errors";
import { countAnonymous, countStaffCall } from "@/lib/platform/http/client-limits";
import { clientAddress } from "@/lib/platform/http/request";
import type { Reply } from "@/lib/platform/http/response";
import { parseUrl } from "@/lib/platform/parse-url";
import { isLoopback } from "@/lib/platform/setting-types";
import type { AuthenticatedCall, Declaration, DeclaredHandler, NoShape, Parsed, Shape } from "./declaration";
import { type Authenticator, defineHandler } from "./endpoint";

/** Marks requests that a page makes without anyone pressing anything. They don't extend the session. */
export const BACKGROUND_HEADER = "x-crosswalk-background";

/** Contains the ID of the user who opened the page, because another user may have signed in in the same browser since. */
export const PERSON_HEADER = "x-crosswalk-person";

/** A call with a staff session. */
export type StaffCall<P, Q, B> = AuthenticatedCall<StaffAccess, P, Q, B>;

interface StaffOptions {
  /** The minimum role that may make the call. */
  role: StaffRole;
  /** Requires If-Match (428), for calls that replace or archive a record. */
  versioned?: true;
  /** The response is a file. Requires the right to export, and is audited. */
  exports?: true;
}

interface StaffDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B>, StaffOptions {
  handle: (call: StaffCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

export type StaffHandler = DeclaredHandler<Declaration<Shape, Shape, unknown> & StaffOptions>;

/**
 * Declares one method of one path below `app/api/staff`, for signed-in staff. With a `practice` in the path, the call only
 * reaches that practice.
 */
export function staffEndpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: StaffDeclaration<P, Q, B>,
): StaffHandler {
  const { name, versioned, exports, handle } = declaration;
  return defineHandler(declaration, sessionAuth(declaration), async (call) => {
    if (versioned && call.ifMatch === null) throw new VersionRequiredError();
    const reply = await handle(call);
    if (reply.download && !exports) throw new Error(`${name} returns a file without declaring exports`);
    if (reply.download) await auditExport(call, reply.download);
    return reply;
  });
}

/** Audits that a file was taken, because it can be kept and passed on. */
async function auditExport(
  { access, origin }: Pick<StaffCall<unknown, unknown, unknown>, "access" | "origin">,
  { filename, content }: NonNullable<Reply["download"]>,
): Promise<void> {
  const facts = { file: filename, bytes: Buffer.byteLength(content) };
  await auditSecurity({ name: "data.exported", origin, practices: access.practices, facts });
}

/** Lets staff in who are signed in with at least the role. */
function sessionAuth(declared: StaffOptions & { oneTimeResponse?: true }): Authenticator<StaffAccess> {
  const { role, exports, oneTimeResponse } = declared;
  return {
    async authenticate(request, origin) {
      const cookies = request.headers.get("cookie");
      if (!isOwnOrigin(request)) {
        await countAnonymousCall(request);
        const victim = await findStaffAccess(cookies, "background");
        if (victim) await auditDeniedStaff(victim, { cause: "foreign_origin" }, origin);
        throw new ForbiddenError("This request did not come from a page of Crosswalk.");
      }
      const access = await findStaffAccess(cookies, request.headers.has(BACKGROUND_HEADER) ? "background" : "person");
      if (access) return access;
      await countAnonymousCall(request);
      await auditSessionlessCall(cookies, origin);
      throw new NotSignedInError();
    },
    async limit({ actor }) {
      if (actor.id !== null) await countStaffCall(actor.id);
    },
    async authorize(access, request, { practice }, origin) {
      requireSamePerson(request, access);
      const narrowed = practice === undefined ? access : narrowTo(access, Number(practice));
      if (!narrowed) {
        await auditDeniedStaff(access, { cause: "other_practice" }, origin);
        throw new NotFoundError("practice");
      }
      if (!includesRole(access.role, role)) {
        await auditDeniedStaff(narrowed, { cause: "role", needed: role }, origin);
        throw new ForbiddenError(`This needs the ${role} role. Your role is ${access.role}.`);
      }
      if (exports && !narrowed.canExport) {
        await auditDeniedStaff(narrowed, { cause: "export_right" }, origin);
        throw new ForbiddenError("Your account can't download files. An admin can give you the right to export.");
      }
      return narrowed;
    },
    source: "staff",
    isLenient: false,
    patientsInPath: ({ patient }: { patient?: number }) => (patient === undefined ? [] : [patient]),
    // Versions protect other writes from being made twice. Users share the key table with clients, whose IDs are positive.
    idempotencyOwner: ({ actor }) => (oneTimeResponse && actor.id !== null ? -actor.id : null),
  };
}

const countAnonymousCall = (request: Request) => countAnonymous(clientAddress((name) => request.headers.get(name)));

/** Returns whether a request comes from our pages. Other sites can make a browser send our cookie, but not our origin. */
function isOwnOrigin(request: Request): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  return namesOwnOrigin(request, origin) && (site === null || site === "same-origin");
}

/**
 * Without PUBLIC_URL, only this machine reaches the server, under any of its names and any forwarded port. Any other name was pointed
 * here by an attacker.
 */
function namesOwnOrigin(request: Request, origin: string | null): boolean {
  const { PUBLIC_URL } = config();
  if (PUBLIC_URL) return origin === PUBLIC_URL;
  const url = origin === null ? null : parseUrl(origin);
  if (!url) return false;
  const { host, hostname } = url;
  return isLoopback(hostname) && host === (request.headers.get("host") ?? new URL(request.url).host);
}

/** @throws ConflictError if someone else signed in since the page was opened */
function requireSamePerson(request: Request, { actor }: StaffAccess): void {
  const person = request.headers.get(PERSON_HEADER);
  if (person === null || person === String(actor.id)) return;
  throw new ConflictError(
    "another_person",
    "Someone else signed in on this browser after this page was opened. Nothing was saved. Reload the page to continue as them.",
  );
}
