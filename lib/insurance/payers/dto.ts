import type { CompanyDetail, PlanDetail } from "./queries";
import { COMPANY_FIELDS, type CompanyFields, type CompanyRow, type PlanRow } from "./schema";

/** A company in the contract's form, as lists and POST answer it. */
export function toCompanyDto(row: CompanyRow) {
  const { id, practice_id, created_date, deleted_date } = row;
  return { id, practice: practice_id, ...pickCompany(row), created_date, deleted_date };
}

/** One company, with the ids of its plans and of the patients insured by it. */
export function toCompanyDetailDto({ patients, plans, ...row }: CompanyDetail) {
  return { ...toCompanyDto(row), patients, plans };
}

/** A plan in the contract's form, as lists and POST answer it. */
export function toPlanDto(row: PlanRow) {
  const { id, practice_id, insurance_company_id, name, created_date, deleted_date } = row;
  return { id, practice: practice_id, insurance_company: insurance_company_id, name, created_date, deleted_date };
}

/** One plan, with the ids of the patients insured by it. */
export function toPlanDetailDto({ patients, ...row }: PlanDetail) {
  return { ...toPlanDto(row), patients };
}

function pickCompany(row: CompanyRow): CompanyFields {
  return Object.fromEntries(COMPANY_FIELDS.map((field) => [field, row[field]])) as unknown as CompanyFields;
}
