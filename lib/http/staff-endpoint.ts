import { config } from "@/lib/config";
import { ForbiddenError, NotFoundError, NotSignedInError } from "@/lib/errors";
import { findStaffAccess, narrowTo, type StaffAccess } from "@/lib/staff/access";
import { includesRole, type StaffRole } from "@/lib/staff/schema";
import {
  type AdmittedCall,
  type Declaration,
  type Door,
  defineHandler,
  type NoShape,
  type Parsed,
  type Shape,
} from "./handler";
import type { Reply } from "./reply";

/** Header by which a page says that nobody pressed anything: such a request does not keep a session alive. */
export const BACKGROUND_HEADER = "x-crosswalk-background";

export type StaffCall<P, Q, B> = AdmittedCall<StaffAccess, P, Q, B>;

interface StaffDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  /** The least role that may. */
  role: StaffRole;
  handle: (call: StaffCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

export type StaffHandler = ((
  request: Request,
  context?: { params?: Promise<Record<string, string | string[]>> },
) => Promise<Response>) & { declaration: Declaration<Shape, Shape, unknown> & { role: StaffRole } };

/**
 * Declares one method of one path below `app/api/staff` (`defineHandler`), for the signed-in staff (design §9). With a
 * `practice` in its path, all it reaches is of that practice.
 */
export function staffEndpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: StaffDeclaration<P, Q, B>,
): StaffHandler {
  return defineHandler(declaration, staffDoor(declaration.role), declaration.handle) as unknown as StaffHandler;
}

function staffDoor(role: StaffRole): Door<StaffAccess> {
  return {
    async enter(request, params) {
      refuseForeignOrigin(request);
      const use = request.headers.has(BACKGROUND_HEADER) ? "background" : "person";
      const access = await findStaffAccess(request.headers.get("cookie"), use);
      if (!access) throw new NotSignedInError();
      const own = params.practice === undefined ? access : narrowTo(access, Number(params.practice));
      if (!own) throw new NotFoundError("practice");
      if (!includesRole(access.role, role))
        throw new ForbiddenError(`This needs the role ${role}; yours is ${access.role}.`);
      return own;
    },
    source: "staff",
    patientsOf: (params) => patientOf(params),
    keeperOf: () => null,
  };
}

/** Below `patients/[patient]` every answer is about that patient. */
function patientOf({ patient }: { patient?: number }): number[] {
  return patient === undefined ? [] : [patient];
}

/** A page of another site can make a browser send our cookie along, but not make it name our origin. */
function refuseForeignOrigin(request: Request): void {
  if (request.method === "GET" || request.method === "HEAD") return;
  const origin = request.headers.get("origin");
  const site = request.headers.get("sec-fetch-site");
  const own = config().PUBLIC_URL ?? hostOf(request);
  const same =
    origin !== null && (config().PUBLIC_URL ? origin === own : URL.canParse(origin) && new URL(origin).host === own);
  if (!same || (site !== null && site !== "same-origin")) {
    throw new ForbiddenError("This request did not come from a page of Crosswalk.");
  }
}

function hostOf(request: Request): string {
  return request.headers.get("x-forwarded-host") ?? request.headers.get("host") ?? new URL(request.url).host;
}
