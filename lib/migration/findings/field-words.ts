import { dateFormat } from "@/lib/platform/date-format";

/** Fields of an export that staff know by another name. */
const FIELD_WORDS: Readonly<Record<string, string>> = {
  carrier: "payer",
  created_date: "creation date",
  deleted_date: "deletion date",
  deleted_insurances: "past insurance",
  end_date: "termination date",
  group_id: "group number",
  insurance_cards: "card images",
  insurance_company: "payer ID",
  insurance_plan: "plan ID",
  insurances: "current insurance",
  relationship_to_insured: "relationship to subscriber",
  start_date: "effective date",
};
const ABBREVIATED: Readonly<Record<string, string>> = { id: "ID", dob: "date of birth", ssn: "SSN", zip: "ZIP" };

/** Returns a field's name within a sentence: `member ID`. */
export function fieldWords(field: string): string {
  const name = FIELD_WORDS[field] ?? field.replace(/^insured_person_/, "subscriber_");
  return name
    .split("_")
    .map((word) => ABBREVIATED[word] ?? word)
    .join(" ");
}

/** Returns a field's name as a label: `Member ID`. */
export function fieldName(field: string): string {
  return capitalize(fieldWords(field));
}

const list = new Intl.ListFormat("en-US");

/** Returns fields as the subject of a sentence: `First name and date of birth`. */
export function fieldSubject(fields: readonly string[]): string {
  return capitalize(list.format(fields.map(fieldWords)));
}

/** Formats a calendar date in a sentence: `Nov 21, 2026`. */
export function dayWords(day: string): string {
  return dateFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
