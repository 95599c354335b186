// Adds practices that only one file of tests changes, so that other tests are not affected. Prints their IDs.

import { listClients } from "@/lib/access/clients/queries";
import { systemOrigin } from "@/lib/access/identity/access";
import { findOrganization } from "@/lib/access/tenancy/organizations";
import { kysely } from "@/lib/platform/db/kysely";
import { db } from "@/lib/platform/db/sql";
import { createPhysician } from "@/lib/practice/physicians/commands";
import { createPractice } from "@/lib/practice/practices/commands";
import { ORGANIZATIONS, STAFF } from "@/prisma/seed/practices";
import { runProgram } from "@/scripts/lib/command-line";
import { CORRECTING, IMPORTING, MIGRATING, SWITCHED } from "./added-practices";

const ORIGIN = systemOrigin({ name: "Browser tests", source: "staff", operation: "practices.create" });

/** Names and NPIs, in the order in which `practices()` of demo.ts returns them. */
const PRACTICES = [
  [SWITCHED, "1558300099"],
  [MIGRATING, "1558300107"],
  [IMPORTING, "1558300115"],
  [CORRECTING, "1558300123"],
] as const;

async function main(): Promise<number> {
  const organization = await findOrganization(ORGANIZATIONS[0]?.name ?? "");
  if (!organization) throw new Error("the demo is missing");
  const ids: number[] = [];
  for (const [name, npi] of PRACTICES) ids.push(await addPractice(organization.id, name, npi));
  console.log(`practices ${ids.join(" ")}`);
  return 0;
}

/** Adds a practice without Insurance Versioning, which the demo's first client and staff can access. @returns its ID */
async function addPractice(organization: number, name: string, npi: string): Promise<number> {
  const { id } = await createPractice(organization, { name, insurance_versioning_enabled: false }, ORIGIN);
  const license = { npi, license: "ME-00099", license_state: "ME" };
  const person = { first_name: "Sela", last_name: "Marchetti", email: "sela.marchetti@example.org" };
  await createPhysician(id, { ...person, ...license }, ORIGIN);
  const [client] = await listClients(organization);
  if (!client) throw new Error("the demo has no client");
  await db.run(kysely.insertInto("oauth_client_practice").values({ client_id: client.id, practice_id: id }));
  const emails = STAFF.map(({ email }) => email);
  const staff = await db.rows(kysely.selectFrom("staff_user").select("id").where("email", "in", emails));
  await db.run(
    kysely.insertInto("staff_user_practice").values(staff.map((user) => ({ user_id: user.id, practice_id: id }))),
  );
  return id;
}

await runProgram(main);
