import { FIELD_UNITS, type FieldUnit, type Policy, type PolicyField } from "./fields";

type Reference = "insurance_company" | "insurance_plan";

/** A policy as its form holds it: what is typed, and which company and plan were picked. */
export type PolicyForm = Record<Exclude<PolicyField, Reference>, string> & Record<Reference, number | null>;

/** Whose policy it is: every write names the patient as the record does, so that none can hit another one. */
export interface PatientIdentity {
  id: number;
  first_name: string;
  last_name: string;
  dob: string;
}

const FIELDS = FIELD_UNITS.flatMap(({ fields }) => fields);
const MONEY: ReadonlySet<string> = new Set(["copay", "deductible"]);
const REFERENCES: ReadonlySet<string> = new Set(["insurance_company", "insurance_plan"]);

/** An empty form. */
export function emptyForm(): PolicyForm {
  const entries = FIELDS.map((name) => [name, REFERENCES.has(name) ? null : ""]);
  return Object.fromEntries(entries) as PolicyForm;
}

/** A policy's values, as a form shows them. */
export function toForm(policy: Policy): PolicyForm {
  const entries = FIELDS.map((name) => [name, REFERENCES.has(name) ? policy[name] : String(policy[name] ?? "")]);
  return Object.fromEntries(entries) as PolicyForm;
}

/** Two decimals for what reads as an amount; anything else stays as it was typed. */
export function normalizeMoney(text: string): string {
  const bare = text.trim().replace(/^(-?)\s*\$\s*/, "$1");
  // A comma counts between thousands only: elsewhere it may be meant as the point, which is for the writer to say.
  const plain = /^-?\d{1,3}(,\d{3})+(\.\d*)?$/.test(bare) ? bare.replaceAll(",", "") : bare;
  const [, sign = "", whole = "", cents = ""] = /^(-?)(\d*)(?:\.(\d{0,2}))?$/.exec(plain) ?? [];
  if (whole === "" && cents === "") return text.trim();
  return `${sign}${whole.replace(/^0+(?=\d)/, "") || "0"}.${cents.padEnd(2, "0")}`;
}

function tidy(form: PolicyForm, name: PolicyField): string | number | null {
  const value = form[name];
  if (typeof value !== "string") return value;
  return (MONEY.has(name) ? normalizeMoney(value) : value.trim()) || null;
}

/** What of two forms differs, company and carrier as one. */
export function differingUnits(a: PolicyForm, b: PolicyForm): FieldUnit[] {
  return FIELD_UNITS.filter(({ fields }) => fields.some((name) => tidy(a, name) !== tidy(b, name)));
}

/** Takes these fields from another form. */
export function copyUnits(form: PolicyForm, other: PolicyForm, units: readonly FieldUnit[]): PolicyForm {
  const names = units.flatMap(({ fields }) => fields);
  return { ...form, ...Object.fromEntries(names.map((name) => [name, other[name]])) };
}

/** The rank that a form picks. */
export function selectedRank({ rank }: Pick<PolicyForm, "rank">): number | null {
  return rank === "" ? null : Number(rank);
}

/** The body of a write: the patient as the record names them, and these fields. */
export function toRequestBody(form: PolicyForm, holder: PatientIdentity, units: readonly FieldUnit[] = FIELD_UNITS) {
  const entries = units.flatMap(({ fields }) => fields.map((name) => [name, tidy(form, name)] as const));
  return {
    patient_first_name: holder.first_name,
    patient_last_name: holder.last_name,
    patient_dob: holder.dob,
    ...Object.fromEntries(entries.map(([name, value]) => [name, name === "rank" ? selectedRank(form) : value])),
  };
}
