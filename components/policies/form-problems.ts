import { toFieldErrors } from "@/lib/http/validation";
import { pickInsurance } from "@/lib/insurance/fields";
import { policyInput } from "@/lib/insurance/policy-fields";
import { insuranceProblems } from "@/lib/insurance/rules";
import { inWords, type PolicyField } from "./fields";
import { type Holder, type PolicyForm, toInput } from "./form-values";

/** What is wrong with a form by the API's own schema and rules, by field. */
export function formProblems(form: PolicyForm, holder: Holder): Partial<Record<PolicyField, string>> {
  const parsed = policyInput.safeParse(toInput(form, holder), { reportInput: true });
  const problems = parsed.success
    ? (insuranceProblems(pickInsurance(parsed.data)) ?? {})
    : toFieldErrors(parsed.error.issues);
  const entries = Object.entries(problems).map(([name, messages]) => [name, inWords([messages].flat().join(" "))]);
  return Object.fromEntries(entries);
}
