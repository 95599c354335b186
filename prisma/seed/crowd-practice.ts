// Creates what a practice needs for generated patients.

import { mintAccess } from "@/lib/access/identity/access";
import { createOrganization } from "@/lib/access/tenancy/organizations";
import { db, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { createPhysician } from "@/lib/practice/physicians/commands";
import { createPractice } from "@/lib/practice/practices/commands";
import { CROWD_ORIGIN, type CrowdPractice } from "./crowd";
import { findOrCreateSubscription } from "./crowd-events";
import { writeCompanies } from "./demo";

interface FoundPractice {
  id: number;
  name: string;
  organization_id: number;
}

/**
 * Finds the practice with this ID. Without an ID, it finds or creates the first practice.
 *
 * @throws NotFoundError
 */
export async function findOrCreatePractice(practiceId: number | null): Promise<FoundPractice> {
  const found = await db.first<FoundPractice>(sql`
    SELECT id, name, organization_id FROM practice WHERE ${practiceId}::bigint IS NULL OR id = ${practiceId}
    ORDER BY id LIMIT 1`);
  if (found) return found;
  if (practiceId !== null) throw new NotFoundError("practice");
  const organization_id = await createOrganization("Seeded Health");
  const fields = { name: "Seeded Family Medicine", insurance_versioning_enabled: true };
  const { id, name } = await createPractice(organization_id, fields, CROWD_ORIGIN);
  return { id, name, organization_id };
}

/** Creates a physician, plans and a subscription if the practice has none. */
export async function prepareForCrowd({ id, organization_id }: FoundPractice): Promise<CrowdPractice> {
  const has = await db.first<{ physicians: boolean; plans: boolean }>(sql`
    SELECT EXISTS (SELECT FROM physician WHERE practice_id = ${id}) AS physicians,
      EXISTS (SELECT FROM insurance_plan n JOIN insurance_company o ON o.id = n.insurance_company_id
        WHERE o.practice_id = ${id} AND o.deleted_date IS NULL AND n.deleted_date IS NULL) AS plans`);
  if (!has?.physicians) {
    const license = { npi: "1558300016", license: "ME-00016", license_state: "ME" };
    const person = { first_name: "Oriel", last_name: "Thackersley", email: "oriel.thackersley@example.org" };
    await createPhysician(id, { ...person, ...license }, CROWD_ORIGIN);
  }
  if (!has?.plans) await writeCompanies(mintAccess({ practices: [id], actor: CROWD_ORIGIN.actor }), id);
  return { id, subscriptionId: await findOrCreateSubscription({ id, organizationId: organization_id }) };
}

/** Updates the planner's statistics. Until autovacuum runs, they describe nearly empty tables. */
export async function refreshStatistics(): Promise<void> {
  await db.run(sql`SELECT refresh_statistics()`);
}
