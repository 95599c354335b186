import type { z } from "zod";
import { capitalize } from "@/components/ui/format";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import type { policyResponse } from "@/lib/insurance/policies/schema";

/** A policy, as the API of the staff pages returns it. */
export type Policy = z.output<typeof policyResponse>;

/** The fields that staff can edit. */
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

function field(name: PolicyField, label: string, kind: Kind = "text"): FieldInfo {
  return { name, label, kind };
}

/** The fields of a policy with their labels, in the order that all pages show them. Payer and plan are shown by name. */
export const FIELD_GROUPS: readonly FieldGroup[] = [
  {
    title: "Plan",
    fields: [
      field("rank", "Rank"),
      field("carrier", "Payer"),
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

/** Fields that change together: a payer and its name, a plan and its name. */
export interface FieldUnit {
  info: FieldInfo;
  fields: PolicyField[];
}

const REFERENCES: Partial<Record<PolicyField, PolicyField>> = { carrier: "insurance_company", plan: "insurance_plan" };

export const FIELD_UNITS: readonly FieldUnit[] = FIELD_GROUPS.flatMap(({ fields }) =>
  fields.map((info) => {
    const reference = REFERENCES[info.name];
    return { info, fields: reference ? [info.name, reference] : [info.name] };
  }),
);

export const POLICY_FIELDS: readonly PolicyField[] = FIELD_UNITS.flatMap(({ fields }) => fields);
export const INSURANCE_FIELDS: readonly InsuranceField[] = POLICY_FIELDS.filter((name) => name !== "rank");

export function isPolicyField(name: string): name is PolicyField {
  return POLICY_FIELDS.some((field) => field === name);
}

/** The codes of genders, with their labels. */
export const GENDERS = [
  ["F", "Female"],
  ["M", "Male"],
  ["X", "Another gender"],
  ["U", "Unknown"],
] as const;

const LABELS = new Map<string, string>([
  ...FIELD_UNITS.map(({ info }) => [info.name, info.label] as const),
  ["insurance_company", "Payer"],
  ["insurance_plan", "Plan"],
]);

/** Returns a field's label, or its name if it has none. */
export function fieldLabel(name: string): string {
  return LABELS.get(name) ?? name;
}

/** Replaces field names in a message from the server with their labels. */
export function withFieldLabels(message: string): string {
  return message.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => LABELS.get(name)?.toLowerCase() ?? name);
}

/** Returns `Primary`, `Secondary`, `Tertiary` or `No rank`. */
export function rankLabel(rank: number | null): string {
  const word = rank === null ? undefined : RANK_WORDS[rank - 1];
  return word ? capitalize(word) : "No rank";
}

/** Names a policy by its carrier and plan. */
export function policyName(policy: Pick<Policy, "id" | "carrier" | "plan">): string {
  return [policy.carrier, policy.plan].filter(Boolean).join(", ") || `Policy ${policy.id}`;
}

/** Formats a decimal string without converting it to a number: `$1,250.00`. */
export function formatMoney(amount: string): string {
  const [whole = "", cents = "00"] = amount.replace("-", "").split(".");
  return `${amount.startsWith("-") ? "−" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}
