import type { CompanyChoice } from "@/lib/insurance/payers/staff-queries";
import { type entryRules, today } from "./form-inputs";
import type { PolicyForm } from "./form-values";

export const ADDRESS = ["address", "suite", "city", "state", "zip", "phone", "extension"] as const;
type AddressField = (typeof ADDRESS)[number];

/** The claims address and phone as the practice's payer list has them. */
export type PayerAddress = Pick<CompanyChoice, AddressField>;
/** The claims address and phone as the form has them. */
export type AddressForm = Pick<PolicyForm, AddressField>;
/** The rules for what staff enter; null until they have loaded. */
type EntryRules = ReturnType<(typeof entryRules)["get"]>;

/**
 * Returns a payer's address as form values, normalized; empty ones without a payer. Invalid values are left out, because the form
 * could not be saved with them.
 */
export function toAddressForm(payer: PayerAddress | null, rules: EntryRules): AddressForm {
  return Object.fromEntries(
    ADDRESS.map((name) => [name, normalize(name, payer?.[name] ?? "", rules) ?? ""]),
  ) as AddressForm;
}

export function isAddressEmpty(form: AddressForm): boolean {
  return ADDRESS.every((name) => form[name].trim() === "");
}

/** Returns whether the form has exactly the payer's address, as listed or normalized. Punctuation may differ. */
export function isPayerAddress(form: AddressForm, payer: PayerAddress, rules: EntryRules): boolean {
  const normalized = toAddressForm(payer, rules);
  return ADDRESS.every((name) => {
    const typed = form[name];
    const isListed = bare(typed) === bare(payer[name] ?? "");
    return isListed || bare(normalize(name, typed, rules) ?? typed) === bare(normalized[name]);
  });
}

/** Normalizes a value as if staff had entered it. Returns null if it is invalid. */
function normalize(name: AddressField, value: string, rules: EntryRules): string | null {
  const entry = rules ? rules.readEntry(name, value, today()) : { value };
  return "value" in entry ? entry.value : null;
}

const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
