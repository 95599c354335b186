import { config } from "@/lib/config";
import { ConflictError, ForbiddenError, NotFoundError, NotSignedInError, VersionRequiredError } from "@/lib/errors";
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

/** Header by which a page says whose it is: somebody else may have signed in in the same browser since. */
export const PERSON_HEADER = "x-crosswalk-person";

export type StaffCall<P, Q, B> = AdmittedCall<StaffAccess, P, Q, B>;

interface StaffDeclaration<P extends Shape, Q extends Shape, B> extends Declaration<P, Q, B> {
  /** The least role that may. */
  role: StaffRole;
  /** The call replaces or ends a record: without If-Match nobody could tell what its author had seen of it (428). */
  versioned?: true;
  handle: (call: StaffCall<Parsed<P>, Parsed<Q>, B>) => Promise<Reply>;
}

export type StaffHandler = ((
  request: Request,
  context?: { params?: Promise<Record<string, string | string[]>> },
) => Promise<Response>) & { declaration: Declaration<Shape, Shape, unknown> & { role: StaffRole; versioned?: true } };

/**
 * Declares one method of one path below `app/api/staff` (`defineHandler`), for the signed-in staff (design §9). With a
 * `practice` in its path, all it reaches is of that practice.
 */
export function staffEndpoint<P extends Shape = NoShape, Q extends Shape = NoShape, B = undefined>(
  declaration: StaffDeclaration<P, Q, B>,
): StaffHandler {
  const { role, versioned, toldOnce, handle } = declaration;
  const door = staffDoor(role, { takesKeys: toldOnce ?? false });
  const guarded: typeof handle = async (call) => {
    if (versioned && call.ifMatch === null) throw new VersionRequiredError();
    return handle(call);
  };
  return defineHandler(declaration, door, guarded) as unknown as StaffHandler;
}

function staffDoor(role: StaffRole, { takesKeys }: { takesKeys: boolean }): Door<StaffAccess> {
  return {
    async enter(request, params) {
      refuseForeignOrigin(request);
      const use = request.headers.has(BACKGROUND_HEADER) ? "background" : "person";
      const access = await findStaffAccess(request.headers.get("cookie"), use);
      if (!access) throw new NotSignedInError();
      refuseAnotherPerson(request, access);
      const own = params.practice === undefined ? access : narrowTo(access, Number(params.practice));
      if (!own) throw new NotFoundError("practice");
      if (!includesRole(access.role, role))
        throw new ForbiddenError(`This needs the role ${role}; yours is ${access.role}.`);
      return own;
    },
    source: "staff",
    patientsOf: (params) => patientOf(params),
    // What a lost answer would make a second time is what is told once; elsewhere versions see to it. Users' keys are
    // kept beside those of the clients, whose ids are above zero.
    keeperOf: ({ actor }) => (takesKeys && actor.id !== null ? -actor.id : null),
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

/** What a page does is done in the name of whom it was opened by, or not at all. */
function refuseAnotherPerson(request: Request, { actor }: StaffAccess): void {
  const person = request.headers.get(PERSON_HEADER);
  if (person === null || person === String(actor.id)) return;
  throw new ConflictError(
    "another_person",
    "Somebody else has signed in in this browser since this page was opened. Nothing was done. Load the page again to go on as them.",
  );
}

function hostOf(request: Request): string {
  return request.headers.get("x-forwarded-host") ?? request.headers.get("host") ?? new URL(request.url).host;
}
