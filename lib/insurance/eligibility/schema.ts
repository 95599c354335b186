import { z } from "zod";
import { EligibilityStatus } from "@/generated/rows/enums";

// The contract's eligibility schemas. Fields that a payer did not report are left out.

const time = z.iso.datetime();
const text = z.string();
const amount = z
  .string()
  .regex(/^-?\d{0,8}(?:\.\d{0,2})?$/)
  .meta({ format: "decimal" });

/** Body of a check: the provider group that asks the payer. */
export const eligibilityInput = z
  .object({
    group_id: z.int().describe("ID of the provider group in your system. It is not sent to the payer."),
    group_name: z.string().max(200).describe("Name of the provider group. Default: the name of the practice."),
    group_npi: z.string().max(20).describe("NPI of the provider group. Some payers require it."),
  })
  .partial()
  .meta({ title: "CreateInsuranceEligibility" });
export type EligibilityInput = z.output<typeof eligibilityInput>;

/** Why a check could not be completed. `code` is stable, `message` is for people. */
export interface EligibilityProblem {
  code: string;
  message: string;
}

const eligibilityDetails = z
  .object({
    coinsurance: amount.describe("The patient's share in percent."),
    coinsurance_ambiguous: z.boolean().describe("The payer reported several values. See the full report."),
    copay: z.number().nullable(),
    copay_ambiguous: z.boolean(),
    deductible: amount,
    deductible_ambiguous: z.boolean(),
    deductible_remaining: amount,
    deductible_remaining_ambiguous: z.boolean(),
    errors: z.array(z.record(z.string(), z.unknown())).describe("Why the check failed. Empty unless it failed."),
  })
  .partial()
  .meta({ title: "EligibilityDetails" });
export type EligibilityDetails = Omit<z.output<typeof eligibilityDetails>, "errors"> & {
  errors: EligibilityProblem[];
};

const checked = {
  eligibility_check_timestamp: time,
  patient_id: z.int(),
  patient_insurance_id: z.int(),
  practice_id: z.int(),
};

export const eligibilityResponse = z
  .object({
    ...checked,
    eligibility_details: eligibilityDetails,
    eligibility_status: z
      .enum(EligibilityStatus)
      .meta({ title: "EligibilityStatusEnum" })
      .describe("`error` means that the payer could not be asked or could not find the member."),
  })
  .meta({ title: "InsuranceEligibility" });

const provider = z
  .object({ first_name: text, last_name: text, npi: text, organization_name: text })
  .partial()
  .meta({ title: "EligibilityProvider" });

const benefit = z.array(z.record(z.string(), z.unknown()));

const benefits = z
  .object({
    coinsurance: benefit,
    copay: benefit,
    deductible: benefit,
    limitations: benefit,
    out_of_pocket: benefit,
  })
  .meta({ title: "EligibilityBenefits" });

const address = z
  .object({ address_1: text, address_2: text, city: text, postal_code: text, state: text })
  .partial()
  .meta({ title: "EligibilityAddress" });

const planDetails = z
  .object({
    carrier: text,
    end_date: z.iso.date().nullable(),
    group_name: text,
    group_number: text,
    insurance_type: text.nullable(),
    member_id: text,
    plan_name: text,
    plan_number: text,
    policy_name: text.nullable(),
    policy_number: text.nullable(),
    provider,
    start_date: z.iso.date(),
  })
  .partial()
  .meta({ title: "EligibilityPlanDetails" });

const subscriber = z
  .object({
    address,
    first_name: text,
    last_name: text,
    member_id: text,
    middle_name: text,
    name: text,
    sex_at_birth: text,
  })
  .partial()
  .meta({ title: "EligibilitySubscriber" });

export const eligibilityReportResponse = z
  .object({
    ...checked,
    benefits,
    eligibility_provider: provider,
    plan_details: planDetails,
    service_type_code: text,
    subscriber,
  })
  .meta({ title: "InsuranceEligibilityFullReport" });

/** What a payer was asked about: the policy's payer and member ID at the time, empty if it had none. */
export interface AskedAbout {
  carrier: string;
  member_id: string;
}

/** One benefit that a payer reported, such as the copay for office visits. Amounts and percentages are decimal strings. */
export interface Benefit {
  /** Such as `Office visit`. */
  service_type?: string;
  /** X12 service type code, such as `98`. */
  service_type_code?: string;
  /** Such as `individual` or `family`. */
  coverage_level?: string;
  network?: "in_network" | "out_of_network";
  amount?: string;
  percent?: string;
  /** Such as `calendar_year`, `remaining` or `visit`. */
  time_period?: string;
  message?: string;
}

export type BenefitKind = "coinsurance" | "copay" | "deductible" | "limitations" | "out_of_pocket";
export type Benefits = Record<BenefitKind, Benefit[]>;

/** What is stored of a full report. The rest of the contract's report follows from the check. */
export interface StoredReport {
  benefits: Benefits;
  eligibility_provider: z.output<typeof provider>;
  plan_details: z.output<typeof planDetails>;
  service_type_code: string;
  subscriber: z.output<typeof subscriber>;
}
