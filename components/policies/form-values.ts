import { FIELD_UNITS, type FieldUnit, POLICY_FIELDS, type Policy, type PolicyField } from "./fields";

type Reference = "insurance_company" | "insurance_plan";

/** The values of the policy form: text as typed, and the IDs of the selected payer and plan. */
export type PolicyForm = Record<Exclude<PolicyField, Reference>, string> & Record<Reference, number | null>;

/** The patient of a policy. Every write repeats the name and date of birth, so that it can't change another patient's policy. */
export interface PatientIdentity {
  id: number;
  first_name: string;
  last_name: string;
  dob: string;
}

const MONEY: ReadonlySet<string> = new Set(["copay", "deductible"]);
const REFERENCES: ReadonlySet<string> = new Set(["insurance_company", "insurance_plan"]);

/** Returns an empty form. */
export function emptyForm(): PolicyForm {
  const entries = POLICY_FIELDS.map((name) => [name, REFERENCES.has(name) ? null : ""]);
  return Object.fromEntries(entries) as PolicyForm;
}

/** Returns a policy's values as the form shows them. */
export function toForm(policy: Policy): PolicyForm {
  const entries = POLICY_FIELDS.map((name) => [name, REFERENCES.has(name) ? policy[name] : String(policy[name] ?? "")]);
  return Object.fromEntries(entries) as PolicyForm;
}

/** Normalizes an amount to two decimals. Returns other text unchanged. */
export function normalizeMoney(text: string): string {
  const bare = text.trim().replace(/^(-?)\s*\$\s*/, "$1");
  // Drop commas only between thousands. Elsewhere a comma may be meant as the decimal point.
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare) ? bare.replaceAll(",", "") : bare;
  const [, sign = "", whole = "", cents = ""] = /^(-?)(\d*)(?:\.(\d{0,2}))?$/.exec(plain) ?? [];
  if (whole === "" && cents === "") return text.trim();
  return `${sign}${whole.replace(/^0+(?=\d)/, "") || "0"}.${cents.padEnd(2, "0")}`;
}

function normalize(form: PolicyForm, name: PolicyField): string | number | null {
  const value = form[name];
  if (typeof value !== "string") return value;
  return (MONEY.has(name) ? normalizeMoney(value) : value.trim()) || null;
}

/** Returns the units that differ between two forms. */
export function differingUnits(a: PolicyForm, b: PolicyForm): FieldUnit[] {
  return FIELD_UNITS.filter(({ fields }) => fields.some((name) => normalize(a, name) !== normalize(b, name)));
}

/** Copies units from another form. */
export function copyUnits(form: PolicyForm, other: PolicyForm, units: readonly FieldUnit[]): PolicyForm {
  const names = units.flatMap(({ fields }) => fields);
  return { ...form, ...Object.fromEntries(names.map((name) => [name, other[name]])) };
}

/** Returns the selected rank. */
export function selectedRank({ rank }: Pick<PolicyForm, "rank">): number | null {
  return rank === "" ? null : Number(rank);
}

/** Returns the request body of a write: the patient's identity and the given units. */
export function toRequestBody(form: PolicyForm, holder: PatientIdentity, units: readonly FieldUnit[] = FIELD_UNITS) {
  const entries = units.flatMap(({ fields }) => fields.map((name) => [name, normalize(form, name)] as const));
  return {
    patient_first_name: holder.first_name,
    patient_last_name: holder.last_name,
    patient_dob: holder.dob,
    ...Object.fromEntries(entries.map(([name, value]) => [name, name === "rank" ? selectedRank(form) : value])),
  };
}
