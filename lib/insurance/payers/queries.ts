import type { Access } from "@/lib/access/identity/access";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import { type PageRequest, type PageSlice, selectPage } from "@/lib/platform/db/page";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, join, raw, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";
import { COMPANY_COLUMNS, type CompanyRow, PLAN_COLUMNS, type PlanRow } from "./schema";

/** Returns the IDs, among these, that belong to no insurance company of the practice. */
export async function findAbsentCompanies(
  read: Db,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<number[]> {
  const rows = await read.rows(
    kysely
      .selectFrom("insurance_company")
      .select("id")
      .where("id", "=", anyOf(ids))
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null),
  );
  const found = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

const COMPANY = raw(COMPANY_COLUMNS.map((column) => `c.${column}`).join(", "));
const PLAN = raw(PLAN_COLUMNS.map((column) => `p.${column}`).join(", "));

/** The contract's filters of the insurance companies list. */
export interface CompanyFilter {
  carrier?: string[] | undefined;
  practice?: number[] | undefined;
}

/** Fields the insurance companies list can be ordered by. */
export const COMPANY_ORDERS = { carrier: sql`lower(c.carrier)`, created_date: sql`c.created_date` };

/** Returns a page of the insurance companies the caller may see. The carrier filter matches the whole name, ignoring case. */
export async function listCompanies(
  access: Access,
  filter: CompanyFilter,
  page: PageRequest,
): Promise<PageSlice<CompanyRow>> {
  const where = [belongsTo(sql`c`, access, filter.practice)];
  if (filter.carrier) where.push(sql`lower(c.carrier) IN (${join(filter.carrier.map((name) => sql`lower(${name})`))})`);
  return selectPage<CompanyRow>(db, {
    columns: COMPANY,
    from: sql`insurance_company c`,
    where: join(where, " AND "),
    id: sql`c.id`,
    orderings: COMPANY_ORDERS,
    page,
  });
}

/** A company with the IDs of its plans, and of the patients with a current legacy insurance with it. */
export type CompanyDetail = CompanyRow & { plans: number[]; patients: number[] };

/**
 * Returns a company with its plans and patients.
 *
 * @throws NotFoundError if the company does not exist, is deleted or belongs to another practice
 */
export async function getCompany(access: Access, companyId: number, read: Db = db): Promise<CompanyDetail> {
  const company = await read.first<CompanyRow & { plans: number[] }>(sql`
    SELECT ${COMPANY}, (SELECT coalesce(json_agg(p.id ORDER BY p.id), '[]') FROM insurance_plan p
      WHERE p.insurance_company_id = c.id AND p.deleted_date IS NULL) AS plans
    FROM insurance_company c WHERE c.id = ${companyId} AND ${belongsTo(sql`c`, access)}`);
  if (!company) throw new NotFoundError("insurance company");
  return { ...company, patients: await listPatientIdsInsuredBy(read, access, { insurance_company: companyId }) };
}

/** The contract's filters of the insurance plans list. */
export interface PlanFilter {
  insurance_company?: number[] | undefined;
  practice?: number[] | undefined;
}

/** Fields the insurance plans list can be ordered by. */
export const PLAN_ORDERS = { name: sql`lower(p.name)`, created_date: sql`p.created_date` };

/** Returns a page of the insurance plans the caller may see. */
export async function listPlans(access: Access, filter: PlanFilter, page: PageRequest): Promise<PageSlice<PlanRow>> {
  const where = [belongsTo(sql`p`, access, filter.practice)];
  if (filter.insurance_company) where.push(inList(sql`p.insurance_company_id`, filter.insurance_company));
  return selectPage<PlanRow>(db, {
    columns: PLAN,
    from: sql`insurance_plan p`,
    where: join(where, " AND "),
    id: sql`p.id`,
    orderings: PLAN_ORDERS,
    page,
  });
}

/** A plan with the IDs of the patients with a current legacy insurance of this plan. */
export type PlanDetail = PlanRow & { patients: number[] };

/**
 * Returns a plan with its patients.
 *
 * @throws NotFoundError if the plan does not exist, is deleted or belongs to another practice
 */
export async function getPlan(access: Access, planId: number, read: Db = db): Promise<PlanDetail> {
  const plan = await read.first(
    kysely
      .selectFrom("insurance_plan")
      .select(PLAN_COLUMNS)
      .where("id", "=", planId)
      .where("practice_id", "=", anyOf(access.practices))
      .where("deleted_date", "is", null),
  );
  if (!plan) throw new NotFoundError("insurance plan");
  return { ...plan, patients: await listPatientIdsInsuredBy(read, access, { insurance_plan: planId }) };
}

/** Returns a condition: the record is not deleted and belongs to a requested practice that the caller has access to. */
function belongsTo(record: Sql, access: Access, requested?: readonly number[]): Sql {
  const practices = requested ? access.practices.filter((id) => requested.includes(id)) : access.practices;
  return sql`${record}.deleted_date IS NULL AND ${inList(sql`${record}.practice_id`, practices)}`;
}

/** Returns the IDs of the patients the caller may see who have a current legacy insurance with this company or plan. */
export async function listPatientIdsInsuredBy(
  read: Db,
  access: Access,
  insurer: { insurance_company: number } | { insurance_plan: number },
): Promise<number[]> {
  const matches =
    "insurance_plan" in insurer
      ? sql`i.insurance_plan = ${insurer.insurance_plan}`
      : sql`i.insurance_company = ${insurer.insurance_company}`;
  const rows = await read.rows<Row<"patient", "id">>(sql`
    SELECT p.id FROM patient p WHERE p.deleted_date IS NULL AND ${inList(sql`p.practice_id`, access.practices)}
      AND EXISTS (SELECT FROM patient_insurance i WHERE i.patient_id = p.id AND i.deleted_date IS NULL AND ${matches})
    ORDER BY p.id`);
  return rows.map(({ id }) => id);
}

/** Returns whether any active or archived policy refers to an insurance plan. */
export async function isPlanUsed(db: Db, planId: number): Promise<boolean> {
  return (
    (await db.first(kysely.selectFrom("policy").select("id").where("insurance_plan", "=", planId).limit(1))) !== null
  );
}

/** Returns whether a practice has any payers. */
export async function hasPayers(practiceId: number): Promise<boolean> {
  const row = await db.first(
    kysely
      .selectFrom("insurance_company")
      .select("id")
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null)
      .limit(1),
  );
  return row !== null;
}
