import { maskSsn } from "@/lib/insurance/fields/masked-ssn";
import type { PolicyForm } from "./form-values";

/** Masks a typed SSN, as the server does in its responses, so that the form can be compared with a stored policy. */
export function withMaskedSsn(form: PolicyForm): PolicyForm {
  const ssn = form.insured_person_ssn.trim();
  return { ...form, insured_person_ssn: ssn && maskSsn(ssn) };
}
