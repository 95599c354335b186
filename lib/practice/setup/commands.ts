import { type Access, currentPractice, mintAccess, type Origin } from "@/lib/access/identity/access";
import { hashPassword } from "@/lib/access/staff/passwords";
import { findSiblingHash } from "@/lib/access/staff/queries";
import { createOrganization, findOrganization, getOrganizationId } from "@/lib/access/tenancy/organizations";
import { type Db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { addAdmins, insertMember } from "@/lib/practice/members/commands";
import { insertPractice } from "@/lib/practice/practices/commands";
import type { OrganizationSetup, PracticeSetup } from "./schema";

const SETUP = "organization setup";

/** The IDs of what was created. */
interface CreatedOrganization {
  organization: number;
  practice: number;
  admin: number;
}

/** Requires that no organization has this name. @throws ValidationError */
export async function requireNewOrganization(name: string, read?: Db): Promise<void> {
  if (await findOrganization(name, read))
    throw new ValidationError({ organization: [`An organization named ${name} already exists.`] });
}

/**
 * Creates an organization with its first practice and admin, in one transaction. Only the hash of the password is stored.
 *
 * @param options.dryRun rolls everything back
 * @throws ValidationError if an organization has this name
 */
export async function setUpOrganization(
  { organization, practice, timezone, email, name = email, password }: OrganizationSetup,
  { origin, dryRun = false }: { origin: Origin; dryRun?: boolean },
): Promise<CreatedOrganization> {
  const hash = await hashPassword(password, await findSiblingHash(email));
  return transaction(
    async (tx) => {
      // Two commands must not run at once, because the database accepts equal names.
      await tx.run(sql`SELECT pg_advisory_xact_lock(hashtextextended(${SETUP}, 0))`);
      await requireNewOrganization(organization, tx);
      const organizationId = await createOrganization(organization, tx);
      const { id: practiceId } = await insertPractice(tx, organizationId, { name: practice, timezone }, origin);
      const access = mintAccess({ practices: [practiceId], actor: origin.actor });
      const admin = { organizationId, email, name, hash, role: "admin" as const, practices: [practiceId] };
      const userId = await insertMember(tx, { access, origin }, admin);
      return { organization: organizationId, practice: practiceId, admin: userId };
    },
    { rollback: dryRun },
  );
}

/**
 * Creates another practice in the organization of a practice, whose admins also become its admins.
 *
 * @param request.access limited to the existing practice
 * @returns its ID, and the email addresses of the admins
 */
export async function setUpPractice(
  { access, origin }: { access: Access; origin: Origin },
  { name, timezone }: PracticeSetup,
): Promise<{ id: number; admins: string[] }> {
  return transaction(async (tx) => {
    const organization = await getOrganizationId(tx, currentPractice(access));
    const { id } = await insertPractice(tx, organization, { name, timezone }, origin);
    return { id, admins: await addAdmins(tx, { access, origin }, id) };
  });
}
