import type { CompanyChoice } from "@/lib/insurance/payers/staff-queries";
import type { PolicyForm } from "./form-values";

export const ADDRESS = ["address", "suite", "city", "state", "zip", "phone", "extension"] as const;

/** The claims address and phone as the practice's payer list has them. */
export type PayerAddress = Pick<CompanyChoice, (typeof ADDRESS)[number]>;
/** The claims address and phone as the form has them. */
export type AddressForm = Pick<PolicyForm, (typeof ADDRESS)[number]>;

/** Returns a payer's address as form values; empty ones without a payer. */
export function toAddressForm(payer: PayerAddress | null): AddressForm {
  return Object.fromEntries(ADDRESS.map((name) => [name, payer?.[name] ?? ""])) as AddressForm;
}

export function isAddressEmpty(form: AddressForm): boolean {
  return ADDRESS.every((name) => form[name].trim() === "");
}

/** Returns whether the form has exactly the payer's address. Punctuation may differ, because saving normalizes phone numbers. */
export function isPayerAddress(form: AddressForm, payer: PayerAddress): boolean {
  return ADDRESS.every((name) => bare(form[name]) === bare(payer[name] ?? ""));
}

const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
