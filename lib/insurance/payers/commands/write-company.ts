import { auditReadIn } from "@/lib/access/audit/commands";
import {
  deleteRecord,
  insertRecord,
  lockRecord,
  type RecordRequest,
  type RecordTable,
  updateRecord,
} from "@/lib/access/history/commands";
import { publishAs } from "@/lib/events/published/publish-events";
import { type CompanyDetail, getCompany } from "@/lib/insurance/payers/queries";
import { COMPANY_COLUMNS, type CompanyInput, type CompanyPatch, type CompanyRow } from "@/lib/insurance/payers/schema";
import { transaction } from "@/lib/platform/db/transaction";
import { requireOwnPractice } from "@/lib/practice/practices/rules";
import { deletePlansOf } from "./write-plan";

const COMPANIES: RecordTable<CompanyRow> = {
  type: "insurance_company",
  columns: COMPANY_COLUMNS,
  practice: "practice_id",
  publish: publishAs("insurance_companies"),
};

/**
 * Creates an insurance company.
 *
 * @throws ValidationError if the caller has no access to the practice
 */
export async function createCompany(
  { access, origin }: Pick<RecordRequest, "access" | "origin">,
  { practice, ...fields }: CompanyInput,
): Promise<CompanyRow> {
  requireOwnPractice(access, practice);
  return transaction((tx) => insertRecord(tx, COMPANIES, { ...fields, practice_id: practice }, origin));
}

/**
 * Updates an insurance company. Omitted fields are left unchanged.
 *
 * @throws NotFoundError, VersionConflictError
 * @throws ValidationError if it would move to another practice
 */
export async function updateCompany(
  request: RecordRequest,
  { practice, ...values }: CompanyPatch,
): Promise<CompanyDetail> {
  const { access, id, origin } = request;
  return transaction(async (tx) => {
    const before = await lockRecord(tx, COMPANIES, request);
    requireOwnPractice(access, practice, { current: before.practice_id });
    await updateRecord(tx, COMPANIES, { before, values, origin });
    const updated = await getCompany(access, id, tx);
    await auditReadIn(tx, origin, updated.patients);
    return updated;
  });
}

/**
 * Deletes an insurance company and its plans. Policies and legacy insurances keep referring to both.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function deleteCompany(request: RecordRequest): Promise<void> {
  await transaction(async (tx) => {
    const before = await lockRecord(tx, COMPANIES, request);
    await deletePlansOf(tx, before.id, request);
    await deleteRecord(tx, COMPANIES, before, request.origin);
  });
}
