import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { type InsuranceFields, insuranceProblems, pickInsurance } from "@/lib/insurance/fields/fields";
import { policyInput } from "@/lib/insurance/fields/policy-fields";
import { toFieldErrors, validate } from "@/lib/platform/http/validation";
import { type Policy, type PolicyField, withFieldLabels } from "./fields";
import { type PatientIdentity, type PolicyForm, toRequestBody } from "./form-values";
import { formRules } from "./messages/form-rules";

const ENDS_TOO_EARLY = { end_date: [formRules.endBeforeStart] };

/**
 * Validates a form with the API's schema and rules, and with the rules for typed values. Returns an error message by field.
 *
 * @param stored the policy that is edited; values it already has are accepted
 */
export function formProblems(
  form: PolicyForm,
  patient: PatientIdentity,
  stored: Policy | null,
): Partial<Record<PolicyField, string>> {
  const input = toRequestBody(form, patient);
  const today = new Date().toISOString().slice(0, 10);
  const { fields, problems: entered } = readEntries(input as Partial<InsuranceFields>, stored ? [stored] : [], today);
  const parsed = validate(policyInput, fields);
  const start_date = entered?.start_date ? null : (fields.start_date ?? null);
  const end_date = entered?.end_date ? null : (fields.end_date ?? null);
  const problems = {
    ...(parsed.success ? null : toFieldErrors(parsed.error.issues)),
    ...(insuranceProblems(pickInsurance(parsed.success ? parsed.data : { start_date, end_date })) && ENDS_TOO_EARLY),
    ...entered,
  };
  const entries = Object.entries(problems).map(([name, messages]) => [
    name,
    withFieldLabels([messages].flat().join(" ")),
  ]);
  return Object.fromEntries(entries);
}

/** Normalizes typed values the way the server stores them. Invalid values and values stored before are left alone. */
export function asStored(form: PolicyForm, stored: Policy | null): PolicyForm {
  const today = new Date().toISOString().slice(0, 10);
  const { fields } = readEntries(form as unknown as Partial<InsuranceFields>, stored ? [stored] : [], today);
  return fields as unknown as PolicyForm;
}
