import { auditShown } from "@/lib/access/audit/commands";
import {
  deleteRecord,
  insertRecord,
  lockRecord,
  type RecordRequest,
  type RecordTable,
  updateRecord,
} from "@/lib/access/history/commands";
import type { Access } from "@/lib/access/identity/access";
import { publisherOf } from "@/lib/events/published/publish-events";
import { getPlan, type PlanDetail } from "@/lib/insurance/payers/queries";
import { PLAN_COLUMNS, type PlanInput, type PlanPatch, type PlanRow } from "@/lib/insurance/payers/schema";
import { isPlanUsed } from "@/lib/insurance/payers/use-queries";
import { sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { requirePracticeOf } from "@/lib/practice/practices/rules";

const PLANS: RecordTable<PlanRow> = {
  type: "insurance_plan",
  columns: PLAN_COLUMNS,
  practice: "practice_id",
  publish: publisherOf("insurance_plans"),
};

/**
 * Creates a plan of an insurance company.
 *
 * @throws ValidationError a practice the caller has no right to, or a company that is not this practice's
 */
export async function createPlan(
  { access, origin }: Pick<RecordRequest, "access" | "origin">,
  { practice, insurance_company, name }: PlanInput,
): Promise<PlanRow> {
  requirePracticeOf(access, practice);
  return transaction(async (tx) => {
    await requireCompany(tx, practice, insurance_company);
    const values = { practice_id: practice, insurance_company_id: insurance_company, name };
    return insertRecord(tx, PLANS, values, origin);
  });
}

/**
 * Updates a plan. Fields left out stay.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ValidationError where it would move to another practice, to a company that is not its practice's, or to any while
 *   policies or insurances refer to it: they name the company beside the plan
 */
export async function updatePlan(
  request: RecordRequest,
  { practice, insurance_company, name }: PlanPatch,
): Promise<PlanDetail> {
  const { access, id, origin } = request;
  return transaction(async (tx) => {
    const before = await lockRecord(tx, PLANS, request);
    requirePracticeOf(access, practice, { own: before.practice_id });
    if (insurance_company !== undefined && insurance_company !== before.insurance_company_id) {
      await requireCompany(tx, before.practice_id, insurance_company);
      await requireUnused(tx, access, id);
    }
    await updateRecord(tx, PLANS, { before, values: { insurance_company_id: insurance_company, name }, origin });
    const updated = await getPlan(access, id, tx);
    await auditShown(tx, origin, updated.patients);
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

/** Deletes every plan of a company whose row this transaction holds, each with its version. */
export async function deletePlansOf(
  tx: Tx,
  companyId: number,
  { access, origin }: Pick<RecordRequest, "access" | "origin">,
): Promise<void> {
  const plans = await tx.rows<{ id: number }>(sql`
    SELECT id FROM insurance_plan WHERE insurance_company_id = ${companyId} AND deleted_date IS NULL
    ORDER BY id FOR NO KEY UPDATE`);
  for (const { id } of plans) {
    const plan = await lockRecord(tx, PLANS, { access, id, ifMatch: null, origin });
    await deleteRecord(tx, PLANS, plan, origin);
  }
}

async function requireUnused(tx: Tx, access: Access, planId: number): Promise<void> {
  const { patients } = await getPlan(access, planId, tx);
  if (patients.length === 0 && !(await isPlanUsed(tx, planId))) return;
  throw new ValidationError({
    insurance_company: ["Policies are of this plan and company: add a plan there instead."],
  });
}

/** Holds the company too, so that it can't be deleted before the plan that refers to it is there. */
async function requireCompany(tx: Tx, practiceId: number, companyId: number): Promise<void> {
  const found = await tx.first(sql`
    SELECT 1 FROM insurance_company
    WHERE id = ${companyId} AND practice_id = ${practiceId} AND deleted_date IS NULL FOR SHARE`);
  if (!found) throw new ValidationError({ insurance_company: ["No such insurance company in this practice."] });
}
