import type { Access } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, empty, inList, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import type { CompanyRow } from "./schema";

/** An insurance company in the picker on staff pages. */
export type CompanyChoice = Pick<
  CompanyRow,
  | "id"
  | "carrier"
  | "payer_id"
  | "insurance_type"
  | "address"
  | "suite"
  | "city"
  | "state"
  | "zip"
  | "phone"
  | "extension"
> & {
  /** Number of its plans in this practice. */
  plans: number;
};

/** Maximum number of choices. Typing more letters narrows them. */
const MAX_CHOICES = 30;

/** Finds the practice's insurance companies whose carrier, alias or payer ID contains a string, best matches first. */
export async function searchCompanies(access: Access, search: string): Promise<CompanyChoice[]> {
  const text = search.trim().toLowerCase();
  const has = `%${literal(text)}%`;
  const matches = sql`AND (lower(c.carrier) LIKE ${has} OR lower(c.aliases) LIKE ${has} OR lower(c.payer_id) LIKE ${has})`;
  return db.rows<CompanyChoice>(sql`
    SELECT c.id, c.carrier, c.payer_id, c.insurance_type, c.address, c.suite, c.city, c.state, c.zip, c.phone, c.extension,
      (SELECT count(*)::int FROM insurance_plan p WHERE p.insurance_company_id = c.id AND p.deleted_date IS NULL) AS plans
    FROM insurance_company c
    WHERE c.deleted_date IS NULL AND ${inList(sql`c.practice_id`, access.practices)} ${text ? matches : empty}
    ORDER BY (lower(c.carrier) LIKE ${`${literal(text)}%`}) DESC, lower(c.carrier), c.id LIMIT ${MAX_CHOICES}`);
}

/** An insurance plan in the picker on staff pages. */
export type PlanChoice = Row<"insurance_plan", "id" | "name">;

/**
 * Finds the plans of one of the practice's companies whose name contains a string. The company may be deleted, because policies
 * may still refer to it.
 *
 * @throws NotFoundError if the company does not exist or belongs to another practice
 */
export async function searchPlans(access: Access, companyId: number, search: string): Promise<PlanChoice[]> {
  const company = await db.first(
    kysely
      .selectFrom("insurance_company")
      .select("id")
      .where("id", "=", companyId)
      .where("practice_id", "=", anyOf(access.practices)),
  );
  if (!company) throw new NotFoundError("insurance company");
  const text = literal(search.trim().toLowerCase());
  return db.rows<PlanChoice>(sql`
    SELECT p.id, p.name FROM insurance_plan p
    WHERE p.deleted_date IS NULL AND p.insurance_company_id = ${companyId}
      AND ${inList(sql`p.practice_id`, access.practices)} AND lower(p.name) LIKE ${`%${text}%`}
    ORDER BY (lower(p.name) LIKE ${`${text}%`}) DESC, lower(p.name), p.id LIMIT ${MAX_CHOICES}`);
}

/** Escapes a string for LIKE. */
function literal(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
