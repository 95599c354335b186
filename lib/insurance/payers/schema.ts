import { z } from "zod";
import type { Row } from "@/lib/platform/db/rows";
import { reference } from "@/lib/platform/http/validation";
import { keysOf } from "@/lib/platform/objects";

const text = (max: number) => z.string().max(max);
const optionalText = (max: number) => text(max).nullable();
const time = z.iso.datetime().nullable();

const companyShape = {
  carrier: text(200),
  aliases: optionalText(300),
  address: text(200),
  suite: optionalText(40),
  city: text(50),
  state: text(2),
  zip: text(10),
  phone: optionalText(20),
  extension: optionalText(6),
  payer_id: optionalText(200),
  eligibility_payer_id: optionalText(200),
  external_vendor_id: optionalText(200),
  insurance_type: z
    .enum([
      "Capitated",
      "Commercial",
      "Managed Medicaid",
      "Medicaid",
      "Medicare",
      "Medicare Advantage",
      "Medicare Supplement",
      "Self Pay",
      "Workers Compensation/Third Party Liability",
      "None",
    ])
    .nullable(),
  is_credentialed: z.boolean().nullable(),
  is_enrolled: z.boolean().nullable(),
} as const;
const storedCompany = z.object(companyShape);
/** The stored fields of a company that clients write. */
export type CompanyFields = z.output<typeof storedCompany>;
/** Names of those fields and of their columns. */
export const COMPANY_FIELDS: readonly (keyof CompanyFields)[] = keysOf(companyShape);

/** Body of POST and PUT `insurance_companies`. */
export const companyInput = storedCompany
  .partial()
  .extend({ carrier: companyShape.carrier, practice: reference })
  .meta({ title: "InsuranceCompanyInput" });
export type CompanyInput = z.output<typeof companyInput>;

/** Body of PATCH: like PUT, but no field is required. */
export const companyPatch = companyInput.partial().meta({ title: "InsuranceCompanyPatch" });
export type CompanyPatch = z.output<typeof companyPatch>;

/** An insurance company as stored. */
export type CompanyRow = Row<"insurance_company", "id" | "practice_id" | "version" | "created_date" | "deleted_date"> &
  CompanyFields;

/** The columns of the insurance_company table, in the order every statement uses. */
export const COMPANY_COLUMNS = [
  "id",
  "practice_id",
  ...COMPANY_FIELDS,
  "version",
  "created_date",
  "deleted_date",
] as const satisfies readonly (keyof CompanyRow)[];

/** A company in responses: the contract's `InsuranceCompany`. */
export const companyResponse = z
  .object({
    id: z.int(),
    practice: z.int(),
    ...companyShape,
    created_date: time,
    deleted_date: time,
  })
  .meta({ title: "InsuranceCompany" });

/** One company in responses, with its plans and the patients insured by it: `InsuranceCompanySingleInstance`. */
export const companyDetailResponse = companyResponse
  .extend({ patients: z.array(z.int()), plans: z.array(z.int()) })
  .meta({ title: "InsuranceCompanySingleInstance" });

/** Body of POST and PUT `insurance_plans`. */
export const planInput = z
  .object({ practice: reference, insurance_company: reference, name: text(200) })
  .meta({ title: "InsurancePlanInput" });
export type PlanInput = z.output<typeof planInput>;

/** Body of PATCH: like PUT, but no field is required. */
export const planPatch = planInput.partial().meta({ title: "InsurancePlanPatch" });
export type PlanPatch = z.output<typeof planPatch>;

/** An insurance plan as stored. */
export type PlanRow = Omit<Row<"insurance_plan">, "modified_date">;

/** The columns of the insurance_plan table, in the order every statement uses. */
export const PLAN_COLUMNS = [
  "id",
  "practice_id",
  "insurance_company_id",
  "name",
  "version",
  "created_date",
  "deleted_date",
] as const satisfies readonly (keyof PlanRow)[];

/** A plan in responses: the contract's `InsurancePlan`. */
export const planResponse = planInput
  .extend({ id: z.int(), created_date: time, deleted_date: time })
  .meta({ title: "InsurancePlan" });

/** One plan in responses, with the patients insured by it: `InsurancePlanSingleInstance`. */
export const planDetailResponse = planResponse
  .extend({ patients: z.array(z.int()) })
  .meta({ title: "InsurancePlanSingleInstance" });

/** Query of the search for a company or a plan on staff pages. */
export const searchQuery = { search: z.string().max(200).default("") };
