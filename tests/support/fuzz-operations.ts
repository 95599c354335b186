// Every operation that hostile requests are sent to, each with records to work on.
import { resources } from "@/generated/resources";
import { seedBasics } from "./api";
import type { FuzzedOperation } from "./fuzz";
import { knownOf } from "./sample-records";
import { type SignedIn, signInAs } from "./staff";
import { pathOf, STAFF_ENDPOINTS, seedRecords } from "./staff-world";
import { ENDPOINTS, type World } from "./world";

export interface FuzzedSide {
  operations: FuzzedOperation[];
  /**
   * Returns headers that identify the caller, unless the request sets its own. `renewed` means that the previous
   * request ended the session.
   */
  credentials: (options?: { renewed: boolean }) => Promise<Record<string, string>>;
}

const DECLARED = new Map(resources.map((resource) => [resource.path ?? resource.name, resource]));
const PLACES = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Reads first and deletions last, so that there is something to read and to change. */
const inOrder = (operations: FuzzedOperation[]) =>
  operations.sort((a, b) => PLACES.indexOf(a.method) - PLACES.indexOf(b.method));

/** Lists the operations of the API, called by a client with full access. */
export async function apiSide(world: World): Promise<FuzzedSide> {
  const operations = ENDPOINTS.map(({ method, path, declaration }): FuzzedOperation => {
    const resource = DECLARED.get(path.replace(/\/\[\w+\]$/, ""));
    const known = resource ? knownOf(resource, world.known, world.records) : world.known;
    return {
      method,
      path,
      declaration,
      root: "/api/2.0/",
      at: () => world.at(path),
      known: () => ({ ...known, ...world.knownAt(path) }),
      body: () => world.bodies[path],
    };
  });
  const authorization = `Bearer ${world.basics.token}`;
  return { operations: inOrder(operations), credentials: async () => ({ authorization }) };
}

/** Lists the operations of the staff pages, called by an admin of the practice. */
export async function staffSide(origin: string): Promise<FuzzedSide> {
  const basics = await seedBasics();
  const records = await seedRecords(basics, "enabled");
  const operations = STAFF_ENDPOINTS.map(
    ({ method, path, declaration }): FuzzedOperation => ({
      method,
      path,
      declaration,
      root: "/api/staff/",
      at: () => pathOf(path, records),
      known: () => ({}),
      body: () => undefined,
    }),
  );
  let admin: SignedIn | undefined;
  return {
    operations: inOrder(operations),
    credentials: async ({ renewed } = { renewed: false }) => {
      if (renewed || !admin) admin = await signInAs("admin", [basics.enabled]);
      return { cookie: admin.cookie, origin, "if-match": "*" };
    },
  };
}
