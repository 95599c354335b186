import { auditReadIn } from "@/lib/access/audit/commands";
import {
  deleteRecord,
  insertRecord,
  lockRecord,
  type RecordRequest,
  type RecordTable,
  updateRecord,
} from "@/lib/access/history/commands";
import type { Access } from "@/lib/access/identity/access";
import { publishAs } from "@/lib/events/published/publish-events";
import { getPlan, isPlanUsed, type PlanDetail } from "@/lib/insurance/payers/queries";
import { PLAN_COLUMNS, type PlanInput, type PlanPatch, type PlanRow } from "@/lib/insurance/payers/schema";
import { kysely } from "@/lib/platform/db/kysely";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import { requireOwnPractice } from "@/lib/practice/practices/rules";

const PLANS: RecordTable<PlanRow> = {
  type: "insurance_plan",
  columns: PLAN_COLUMNS,
  practice: "practice_id",
  publish: publishAs("insurance_plans"),
};

/**
 * Creates a plan of an insurance company.
 *
 * @throws ValidationError if the caller has no access to the practice, or the company belongs to another practice
 */
export async function createPlan(
  { access, origin }: Pick<RecordRequest, "access" | "origin">,
  { practice, insurance_company, name }: PlanInput,
): Promise<PlanRow> {
  requireOwnPractice(access, practice);
  return transaction(async (tx) => {
    await requireCompany(tx, practice, insurance_company);
    const values = { practice_id: practice, insurance_company_id: insurance_company, name };
    return insertRecord(tx, PLANS, values, origin);
  });
}

/**
 * Updates a plan. Omitted fields are left unchanged.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ValidationError if it would move to another practice, to a company of another practice, or to any company while
 *   policies or insurances refer to the plan, because they also refer to its company
 */
export async function updatePlan(
  request: RecordRequest,
  { practice, insurance_company, name }: PlanPatch,
): Promise<PlanDetail> {
  const { access, id, origin } = request;
  return transaction(async (tx) => {
    const before = await lockRecord(tx, PLANS, request);
    requireOwnPractice(access, practice, { current: before.practice_id });
    if (insurance_company !== undefined && insurance_company !== before.insurance_company_id) {
      await requireCompany(tx, before.practice_id, insurance_company);
      await requireUnused(tx, access, id);
    }
    await updateRecord(tx, PLANS, { before, values: { insurance_company_id: insurance_company, name }, origin });
    const updated = await getPlan(access, id, tx);
    await auditReadIn(tx, origin, updated.patients);
    return updated;
  });
}

/**
 * Deletes a plan. Policies and legacy insurances keep referring to it.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function deletePlan(request: RecordRequest): Promise<void> {
  await transaction(async (tx) => {
    await deleteRecord(tx, PLANS, await lockRecord(tx, PLANS, request), request.origin);
  });
}

/** Deletes all plans of a company that this transaction has locked, each with a version. */
export async function deletePlansOf(
  tx: Tx,
  companyId: number,
  { access, origin }: Pick<RecordRequest, "access" | "origin">,
): Promise<void> {
  const plans = await tx.rows(
    kysely
      .selectFrom("insurance_plan")
      .select("id")
      .where("insurance_company_id", "=", companyId)
      .where("deleted_date", "is", null)
      .orderBy("id")
      .forNoKeyUpdate(),
  );
  for (const { id } of plans) {
    const plan = await lockRecord(tx, PLANS, { access, id, ifMatch: null, origin });
    await deleteRecord(tx, PLANS, plan, origin);
  }
}

async function requireUnused(tx: Tx, access: Access, planId: number): Promise<void> {
  const { patients } = await getPlan(access, planId, tx);
  if (patients.length === 0 && !(await isPlanUsed(tx, planId))) return;
  throw new ValidationError({
    insurance_company: [
      "Policies use this plan, so it can't move to another payer. Add a plan to the other payer instead.",
    ],
  });
}

/** Locks the company, so that it can't be deleted before the plan is committed. */
async function requireCompany(tx: Tx, practiceId: number, companyId: number): Promise<void> {
  const found = await tx.first(
    kysely
      .selectFrom("insurance_company")
      .select("id")
      .where("id", "=", companyId)
      .where("practice_id", "=", practiceId)
      .where("deleted_date", "is", null)
      .forShare(),
  );
  if (!found) throw new ValidationError({ insurance_company: absentRecords(companyId) });
}
