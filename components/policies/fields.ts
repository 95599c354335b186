import type { z } from "zod";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import type { policyResponse } from "@/lib/insurance/policies/schema";
import { fieldGroups, fieldLabels, genders, ranks, unnamedPolicy } from "./messages/fields";

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

function field(name: PolicyField, kind: Kind = "text"): FieldInfo {
  return { name, label: fieldLabels[name], kind };
}

/** The fields of a policy with their labels, in the order that all pages show them. Payer and plan are shown by name. */
export const FIELD_GROUPS: readonly FieldGroup[] = [
  {
    title: fieldGroups.plan,
    fields: [field("rank"), field("carrier"), field("plan"), field("payment_program")],
  },
  {
    title: fieldGroups.member,
    fields: [field("member_id", "code"), field("group_id", "code"), field("relationship_to_insured")],
  },
  {
    title: fieldGroups.coverage,
    fields: [
      field("start_date", "date"),
      field("end_date", "date"),
      field("copay", "money"),
      field("deductible", "money"),
    ],
  },
  {
    title: fieldGroups.subscriber,
    fields: [
      field("insured_person_first_name"),
      field("insured_person_last_name"),
      field("insured_person_dob", "code"),
      field("insured_person_gender"),
      field("insured_person_id", "code"),
      field("insured_person_ssn", "secret"),
      field("insured_person_address"),
      field("insured_person_city"),
      field("insured_person_state", "state"),
      field("insured_person_zip", "code"),
    ],
  },
  {
    title: fieldGroups.claimsAddress,
    fields: [
      field("address"),
      field("suite"),
      field("city"),
      field("state", "state"),
      field("zip", "code"),
      field("phone", "phone"),
      field("extension", "phone"),
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
export const GENDERS: readonly (readonly [code: string, label: string])[] = Object.entries(genders);

const LABELS = new Map<string, string>(Object.entries(fieldLabels));

/** Returns a field's label, or its name if it has none. */
export function fieldLabel(name: string): string {
  return LABELS.get(name) ?? name;
}

/** Returns a field's label for the middle of a sentence, with acronyms and IDs in capitals; its name if it has no label. */
export function fieldPhrase(name: string): string {
  const label = LABELS.get(name) ?? name;
  return /^[A-Z][a-z]/.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}

/** Replaces field names in a message from the server with their labels. */
export function withFieldLabels(message: string): string {
  return message.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, fieldPhrase);
}

/** Returns `Primary`, `Secondary`, `Tertiary` or `No rank`. */
export function rankLabel(rank: number | null): string {
  return (rank === null ? undefined : ranks.label[rank - 1]) ?? ranks.noneLabel;
}

/** Returns a rank for the middle of a sentence: `primary`, `secondary`, `tertiary` or `no rank`. */
export function rankPhrase(rank: number | null): string {
  return (rank === null ? undefined : ranks.phrase[rank - 1]) ?? ranks.nonePhrase;
}

/** Names a policy by its carrier and plan. */
export function policyName(policy: Pick<Policy, "id" | "carrier" | "plan">): string {
  return [policy.carrier, policy.plan].filter(Boolean).join(", ") || unnamedPolicy(policy.id);
}

/** Formats a decimal string without converting it to a number: `$1,250.00`. */
export function formatMoney(amount: string): string {
  const [whole = "", cents = "00"] = amount.replace("-", "").split(".");
  return `${amount.startsWith("-") ? "−" : ""}$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${cents}`;
}
