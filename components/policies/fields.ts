import type { z } from "zod";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import type { policyAnswer } from "@/lib/insurance/policies/schema";

/** A policy as the staff's API answers it. */
export type Policy = z.output<typeof policyAnswer>;

/** Fields that are edited: the insurance fields and the rank. */
export type PolicyField = InsuranceField | "rank";

type Kind = "text" | "code" | "money" | "date" | "state" | "phone" | "secret";

export interface FieldInfo {
  name: PolicyField;
  label: string;
  kind: Kind;
}

export interface FieldGroup {
  title: string;
  fields: FieldInfo[];
}

const field = (name: PolicyField, label: string, kind: Kind = "text"): FieldInfo => ({ name, label, kind });

/** The fields of a policy in the order and the words staff see everywhere. Company and plan go by their names. */
export const FIELD_GROUPS: readonly FieldGroup[] = [
  {
    title: "Plan",
    fields: [
      field("rank", "Rank"),
      field("carrier", "Carrier"),
      field("plan", "Plan"),
      field("payment_program", "Payment program"),
    ],
  },
  {
    title: "Member",
    fields: [
      field("member_id", "Member ID", "code"),
      field("group_id", "Group number", "code"),
      field("relationship_to_insured", "Patient's relationship to subscriber"),
    ],
  },
  {
    title: "Coverage and cost share",
    fields: [
      field("start_date", "Effective date", "date"),
      field("end_date", "Termination date", "date"),
      field("copay", "Copay", "money"),
      field("deductible", "Deductible", "money"),
    ],
  },
  {
    title: "Subscriber",
    fields: [
      field("insured_person_first_name", "Subscriber first name"),
      field("insured_person_last_name", "Subscriber last name"),
      field("insured_person_dob", "Subscriber date of birth", "code"),
      field("insured_person_gender", "Subscriber gender"),
      field("insured_person_id", "Subscriber ID", "code"),
      field("insured_person_ssn", "Subscriber SSN", "secret"),
      field("insured_person_address", "Subscriber address"),
      field("insured_person_city", "Subscriber city"),
      field("insured_person_state", "Subscriber state", "state"),
      field("insured_person_zip", "Subscriber ZIP code", "code"),
    ],
  },
  {
    title: "Claims address",
    fields: [
      field("address", "Address"),
      field("suite", "Suite"),
      field("city", "City"),
      field("state", "State", "state"),
      field("zip", "ZIP code", "code"),
      field("phone", "Phone", "phone"),
      field("extension", "Extension", "phone"),
    ],
  },
];

/** What changes as one: a company and its name are no two choices. */
export interface FieldUnit {
  info: FieldInfo;
  fields: PolicyField[];
}

const WITH: Partial<Record<PolicyField, PolicyField>> = { carrier: "insurance_company", plan: "insurance_plan" };

export const FIELD_UNITS: readonly FieldUnit[] = FIELD_GROUPS.flatMap(({ fields }) =>
  fields.map((info) => {
    const beside = WITH[info.name];
    return { info, fields: beside ? [info.name, beside] : [info.name] };
  }),
);

/** Names of the insurance fields. */
export const INSURANCE_NAMES: readonly InsuranceField[] = FIELD_UNITS.flatMap(({ fields }) => fields).filter(
  (name) => name !== "rank",
);

const LABELS = new Map<string, string>([
  ...FIELD_UNITS.map(({ info }) => [info.name, info.label] as const),
  ["insurance_company", "Carrier"],
  ["insurance_plan", "Plan"],
]);

/** A field's name in the words of the page. */
export function fieldLabel(name: string): string {
  return LABELS.get(name) ?? name;
}

/** A message of the server, its field names in the words of the page. */
export function withFieldLabels(message: string): string {
  return message.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => LABELS.get(name)?.toLowerCase() ?? name);
}

/** `Primary`, `Secondary`, `Tertiary`, or that there is none. */
export function rankLabel(rank: number | null): string {
  const word = rank === null ? undefined : RANK_WORDS[rank - 1];
  return word ? word.charAt(0).toUpperCase() + word.slice(1) : "No rank";
}

/** How a policy is spoken of: its carrier and plan. */
export function policyName(policy: Pick<Policy, "id" | "carrier" | "plan">): string {
  return [policy.carrier, policy.plan].filter(Boolean).join(", ") || `Policy ${policy.id}`;
}

/** `$1,250.00` of a decimal string; no number is made of it. */
export function formatMoney(amount: string): string {
  const [whole = "", cents = "00"] = amount.replace("-", "").split(".");
  return `${amount.startsWith("-") ? "−" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}
