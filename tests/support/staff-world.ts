// The staff pages: every operation, every page, and a record for each of their parameters.
import fs from "node:fs";
import { staffRoutes } from "@/generated/staff-routes";
import type { StaffHandler } from "@/lib/access/endpoints/staff-endpoint";
import { STAFF_ROLES, type StaffRole } from "@/lib/access/staff/roles";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedCompany, seedPatient } from "./api";
import { imageContent } from "./images";
import { legacyPatient, writeLines } from "./legacy-export";
import { createCheckedRun } from "./migration-runs";
import { listPageFiles } from "./page-files";
import { signInAs, staffCallAs } from "./staff";
import { createListener, shownEvents } from "./webhook-clients";
import { METHODS } from "./world";

export interface StaffEndpoint {
  method: (typeof METHODS)[number];
  /** As the folders name it: `practices/[practice]/patients`. */
  path: string;
  declaration: StaffHandler["declaration"];
}

/** Every method that a route file below app/api/staff declares. */
export const STAFF_ENDPOINTS: readonly StaffEndpoint[] = staffRoutes.flatMap(({ path, module }) =>
  METHODS.flatMap((method) => {
    const { declaration } = module[method] as unknown as Partial<StaffHandler>;
    return declaration ? [{ method, path, declaration }] : [];
  }),
);

export interface StaffPage {
  /** As the folders name it: `practices/[practice]/patients`. */
  path: string;
  /** The lowest role with access; null if the page does not name one. */
  role: StaffRole | null;
}

const REQUIRES = /await requireStaff\(params(?:, "(\w+)")?\)/;

/** Lists every page of app/(staff), with the role that its source requires. */
export function readStaffPages(): StaffPage[] {
  return listPageFiles("app/(staff)")
    .map(({ file, page }) => {
      const found = REQUIRES.exec(fs.readFileSync(file, "utf8"));
      return { path: page, role: found ? ((found[1] ?? "viewer") as StaffRole) : null };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lists the roles with fewer rights than this one. */
export const rolesBelow = (role: StaffRole) => STAFF_ROLES.slice(STAFF_ROLES.indexOf(role) + 1);

/** By parameter name: a record of one practice. */
export type Records = Readonly<Record<string, number | string>>;

/** Returns a path with these records; parameters without a record get a value that names nothing. */
export function pathOf(path: string, records: Records): string {
  return path.replace(/\[(?:\.\.\.)?(\w+)\]/g, (_all, name: string) => String(records[name] ?? 999_999_999));
}

/** Creates a record of each kind in a practice, by the names of path parameters. */
export async function seedRecords(basics: Basics, of: "enabled" | "foreign"): Promise<Records> {
  const token = of === "enabled" ? basics.token : basics.stranger;
  const practice = basics[of];
  const { client, subscription } = await createListener(
    { ...basics, organization: await organizationOf(practice), enabled: practice },
    "https://hooks.example.org/a",
  );
  const secret = await db.first<{ id: number }>(
    sql`SELECT id FROM oauth_client_secret WHERE client_id = ${client.id} ORDER BY id LIMIT 1`,
  );
  const company = await seedCompany(practice);
  const patient = await seedPatient(practice, basics.physicians[of]);
  const policies = `patients/${patient}/policies`;
  const policy = (await call("POST", policies, { token, body: { ...MARIA, rank: 1 } })).body.id;
  await call("POST", `${policies}/${policy}/card-images`, { token, body: { image: await imageContent(1) } });
  await call("PATCH", `patients/${patient}`, { token, body: { middle_name: "Ana" } });
  const staff = await signInAs("staff", [practice]);
  const below = `practices/${practice}/patients/${patient}/policies/${policy}`;
  const check = (await staffCallAs(staff, "POST", `${below}/eligibility`)).body.id;
  const note = (await staffCallAs(staff, "POST", `${below}/notes`, { body: { text: "Called" } })).body.notes[0].id;
  const [event] = await shownEvents(client);
  const sync = await db.first<{ id: number }>(
    sql`SELECT id FROM replication_event WHERE patient_id = ${patient} ORDER BY id LIMIT 1`,
  );
  const run = await createCheckedRun(practice, writeLines(`world-${practice}.ndjson`, [legacyPatient(practice)]));
  const { userId } = await signInAs("viewer", [practice]);
  return {
    practice,
    company,
    patient,
    policy,
    check,
    note,
    version: 1,
    rank: 1,
    sync: sync?.id as number,
    run,
    part: 1,
    number: 1,
    event: event.event_id,
    subscription: subscription.id,
    client: client.id,
    secret: secret?.id as number,
    member: userId,
  };
}

async function organizationOf(practice: number): Promise<number> {
  const row = await db.first<{ organization_id: number }>(
    sql`SELECT organization_id FROM practice WHERE id = ${practice}`,
  );
  return row?.organization_id as number;
}
