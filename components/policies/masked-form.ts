import { maskSsn } from "@/lib/insurance/fields/masked-ssn";
import type { PolicyForm } from "./form-values";

/** What is typed as the server shows it once it is saved: without the SSN. */
export function withMaskedSsn(form: PolicyForm): PolicyForm {
  const { insured_person_ssn: ssn } = form;
  return { ...form, insured_person_ssn: ssn.trim() && maskSsn(ssn.trim()) };
}
