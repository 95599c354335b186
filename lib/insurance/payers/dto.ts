import { pick } from "@/lib/platform/objects";
import type { CompanyDetail, PlanDetail } from "./queries";
import { COMPANY_FIELDS, type CompanyRow, type PlanRow } from "./schema";

/** Maps a company to the contract's form in lists and in the response to POST. */
export function toCompanyDto(row: CompanyRow) {
  const { id, practice_id, created_date, deleted_date } = row;
  return { id, practice: practice_id, ...pick(row, COMPANY_FIELDS), created_date, deleted_date };
}

/** Maps one company, with the IDs of its plans and of the patients insured by it. */
export function toCompanyDetailDto({ patients, plans, ...row }: CompanyDetail) {
  return { ...toCompanyDto(row), patients, plans };
}

/** Maps a plan to the contract's form in lists and in the response to POST. */
export function toPlanDto(row: PlanRow) {
  const { id, practice_id, insurance_company_id, name, created_date, deleted_date } = row;
  return { id, practice: practice_id, insurance_company: insurance_company_id, name, created_date, deleted_date };
}

/** Maps one plan, with the IDs of the patients insured by it. */
export function toPlanDetailDto({ patients, ...row }: PlanDetail) {
  return { ...toPlanDto(row), patients };
}
