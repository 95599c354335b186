import { readEntries } from "@/lib/insurance/entry-rules";
import type { InsuranceFields } from "@/lib/insurance/fields";
import { maskSsn } from "@/lib/insurance/masked-ssn";
import type { Policy } from "./fields";
import type { PolicyForm } from "./form-values";

/** What is typed in the form the server stores it in; what can't be read, and what is stored already, stays as it is. */
export function asStored(form: PolicyForm, stored: Policy | null): PolicyForm {
  const today = new Date().toISOString().slice(0, 10);
  const { fields } = readEntries(form as unknown as Partial<InsuranceFields>, stored ? [stored] : [], today);
  return fields as unknown as PolicyForm;
}

/** What is typed as the server shows it once it is saved: without the SSN. */
export function asShown(form: PolicyForm): PolicyForm {
  const { insured_person_ssn: ssn } = form;
  return { ...form, insured_person_ssn: ssn.trim() && maskSsn(ssn.trim()) };
}
