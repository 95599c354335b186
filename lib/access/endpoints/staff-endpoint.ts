import { auditSecurity } from "@/lib/access/audit/security-commands";
import { auditSessionlessCall, findStaffAccess, narrowTo, type StaffAccess } from "@/lib/access/staff/access";
import { auditDeniedStaff } from "@/lib/access/staff/audit-commands";
import { includesRole, type StaffRole } from "@/lib/access/staff/schema";
import { config, isLoopback } from "@/lib/platform/config";
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  NotSignedInError,
  VersionRequiredError,
} from "@/lib/platform/errors";
import { clientAddress } from "@/lib/platform/http/client-address";
import { countAnonymous, countStaffCall } from "@/lib/platform/http/client-limits";
import type { Reply } from "@/lib/platform/http/reply";
import { parseUrl } from "@/lib/platform/parse-url";
import {
  type AuthenticatedCall,
  type Authenticator,
  type Declaration,
  defineHandler,
  type NoShape,
  type Parsed,
  type Shape,
} from "./handler";

/** Header by which a page says that nobody pressed anything: such a request does not keep a session alive. */
export const BACKGROUND_HEADER = "x-crosswalk-background";

/** Header by which a page says whose it is: somebody else may have signed in in the same browser since. */
export const PERSON_HEADER = "x-crosswalk-person";

export type StaffCall<P, Q, B> = AuthenticatedCall<StaffAccess, P, Q, B>;

interface StaffDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  /** The least role that may. */
  role: StaffRole;
  /** The call replaces or ends a record: without If-Match nobody could tell what its author had seen of it (428). */
  versioned?: true;
  /** Its answer is a file: it takes the right to export, and is audited. */
  exports?: true;
  handle: (call: StaffCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

export type StaffHandler = ((
  request: Request,
  context?: { params?: Promise<Record<string, string | string[]>> },
) => Promise<Response>) & {
  declaration: Declaration<Shape, Shape, unknown> & { role: StaffRole; versioned?: true; exports?: true };
};

/**
 * Declares one method of one path below `app/api/staff` (`defineHandler`), for the signed-in staff (design §9). With a
 * `practice` in its path, all it reaches is of that practice.
 */
export function staffEndpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: StaffDeclaration<P, Q, B>,
): StaffHandler {
  const { name, role, versioned, exports = false, oneTimeResponse: toldOnce, handle } = declaration;
  const door = sessionAuth(role, { takesKeys: toldOnce ?? false, exports });
  const guarded: typeof handle = async (call) => {
    if (versioned && call.ifMatch === null) throw new VersionRequiredError();
    const reply = await handle(call);
    if (reply.download && !exports) throw new Error(`${name} answers with a file, and does not say that it exports.`);
    if (reply.download) await auditExport(call, reply.download);
    return reply;
  };
  return defineHandler(declaration, door, guarded) as unknown as StaffHandler;
}

/** What leaves as a file can be kept and passed on: that it was taken is an event of its own. */
async function auditExport(
  { access, origin }: Pick<StaffCall<unknown, unknown, unknown>, "access" | "origin">,
  { filename, content }: NonNullable<Reply["download"]>,
): Promise<void> {
  const facts = { file: filename, bytes: Buffer.byteLength(content) };
  await auditSecurity({ name: "data.exported", origin, practices: access.practices, facts });
}

function sessionAuth(
  role: StaffRole,
  { takesKeys, exports }: { takesKeys: boolean; exports: boolean },
): Authenticator<StaffAccess> {
  return {
    async authenticate(request, params, origin) {
      const cookies = request.headers.get("cookie");
      if (!isOwnOrigin(request)) {
        await countAnonymous(clientAddress((name) => request.headers.get(name)));
        const victim = await findStaffAccess(cookies, "background");
        if (victim) await auditDeniedStaff(victim, { cause: "foreign_origin" }, origin);
        throw new ForbiddenError("This request did not come from a page of Crosswalk.");
      }
      const use = request.headers.has(BACKGROUND_HEADER) ? "background" : "person";
      const access = await findStaffAccess(cookies, use);
      if (!access) {
        await countAnonymous(clientAddress((name) => request.headers.get(name)));
        await auditSessionlessCall(cookies, origin);
        throw new NotSignedInError();
      }
      if (access.actor.id !== null) await countStaffCall(access.actor.id);
      refuseAnotherPerson(request, access);
      const own = params.practice === undefined ? access : narrowTo(access, Number(params.practice));
      if (!own) {
        await auditDeniedStaff(access, { cause: "other_practice" }, origin);
        throw new NotFoundError("practice");
      }
      if (!includesRole(access.role, role)) {
        await auditDeniedStaff(own, { cause: "role", needed: role }, origin);
        throw new ForbiddenError(`This needs the role ${role}; yours is ${access.role}.`);
      }
      if (exports && !own.canExport) {
        await auditDeniedStaff(own, { cause: "export_right" }, origin);
        throw new ForbiddenError("Your account may not download files. An admin can give you the right to export.");
      }
      return own;
    },
    source: "staff",
    patientsOf: (params) => patientOf(params),
    // What a lost answer would make a second time is what is told once; elsewhere versions see to it. Users' keys are
    // kept beside those of the clients, whose ids are above zero.
    idempotencyOwner: ({ actor }) => (takesKeys && actor.id !== null ? -actor.id : null),
  };
}

/** Below `patients/[patient]` every answer is about that patient. */
function patientOf({ patient }: { patient?: number }): number[] {
  return patient === undefined ? [] : [patient];
}

/** A page of another site can make a browser send our cookie along, but not make it name our origin. */
function isOwnOrigin(request: Request): boolean {
  if (request.method === "GET" || request.method === "HEAD") return true;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  return namesOwnOrigin(request, origin) && (site === null || site === "same-origin");
}

/**
 * Without PUBLIC_URL only this machine reaches the server, under any of its names and at whatever port is forwarded to it. A
 * name that is not this machine's is an attacker's own, made to lead here.
 */
function namesOwnOrigin(request: Request, origin: string | null): boolean {
  const { PUBLIC_URL } = config();
  if (PUBLIC_URL) return origin === PUBLIC_URL;
  const url = origin === null ? null : parseUrl(origin);
  if (!url) return false;
  const { host, hostname } = url;
  return isLoopback(hostname) && host === (request.headers.get("host") ?? new URL(request.url).host);
}

/** What a page does is done in the name of whom it was opened by, or not at all. */
function refuseAnotherPerson(request: Request, { actor }: StaffAccess): void {
  const person = request.headers.get(PERSON_HEADER);
  if (person === null || person === String(actor.id)) return;
  throw new ConflictError(
    "another_person",
    "Somebody else has signed in in this browser since this page was opened. Nothing was done. Load the page again to go on as them.",
  );
}
