import type { Row } from "@/lib/platform/db/rows";
import { type Db, sql } from "@/lib/platform/db/sql";
import { absentRecords, type FieldErrors } from "@/lib/platform/errors";

type PayerReferences = Row<"policy", "insurance_company" | "insurance_plan">;

/**
 * Checks that a policy or legacy insurance may refer to its company and plan: both belong to the practice and are not deleted,
 * and the plan belongs to the company. References that `before` already has stay valid, so that a deleted company does not block
 * changes to its policies.
 *
 * @returns messages by field, or null if there are none
 */
export async function findReferenceProblems(
  db: Db,
  practiceId: number,
  record: PayerReferences,
  before: PayerReferences | null = null,
): Promise<FieldErrors | null> {
  const { insurance_company: company, insurance_plan: plan } = record;
  if (before && company === before.insurance_company && plan === before.insurance_plan) return null;
  if (company === null && plan === null) return null;
  // Locks the plan until the record is committed, because a plan that records refer to must not move to another company.
  await db.first(sql`SELECT 1 FROM insurance_plan WHERE id = ${plan} FOR SHARE`);
  const found = await db.one<{ company_ok: boolean; plan_ok: boolean; plan_company: number | null }>(sql`
    SELECT EXISTS (SELECT FROM insurance_company WHERE id = ${company} AND practice_id = ${practiceId}
             AND (deleted_date IS NULL OR id = ${before?.insurance_company ?? null})) AS company_ok,
           EXISTS (SELECT FROM insurance_plan WHERE id = ${plan} AND practice_id = ${practiceId}
             AND (deleted_date IS NULL OR id = ${before?.insurance_plan ?? null})) AS plan_ok,
           (SELECT insurance_company_id FROM insurance_plan WHERE id = ${plan}) AS plan_company`);
  if (company !== null && !found.company_ok) return { insurance_company: absentRecords(company) };
  if (plan !== null && !found.plan_ok) return { insurance_plan: absentRecords(plan) };
  if (company !== null && plan !== null && found.plan_company !== company) {
    return { insurance_plan: ["This plan belongs to another payer."] };
  }
  return null;
}
