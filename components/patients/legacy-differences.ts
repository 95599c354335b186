import { fieldLabel, INSURANCE_FIELDS } from "@/components/policies/fields";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { maskSsn } from "@/lib/insurance/fields/masked-ssn";
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/ranks";
import { type Entry, entryName, REFERENCES, toValue } from "./legacy-form-values";

const SSN = "insured_person_ssn";

/** A value as the server shows it: an SSN masked. */
function shownValue(field: InsuranceField, typed: string): string | number | null {
  const value = toValue(field, typed);
  return field === SSN && typeof value === "string" ? maskSsn(value) : value;
}

/** Something that two sides have otherwise, at one priority. */
export interface Difference {
  rank: RankWord;
  /** null where one side has no insurance of this priority. */
  field: InsuranceField | null;
  label: string;
  theirs: string;
  mine: string;
}

/** The differences between what another person saved and what was typed here. */
export function compareEntries(theirs: readonly Entry[], mine: readonly Entry[]): Difference[] {
  return RANK_WORDS.flatMap((rank): Difference[] => {
    const [a, b] = [theirs.find((entry) => entry.rank === rank), mine.find((entry) => entry.rank === rank)];
    if (!a && !b) return [];
    if (!a || !b) {
      const say = (entry: Entry | undefined) => (entry ? entryName(entry) : "none");
      return [{ rank, field: null, label: "Insurance", theirs: say(a), mine: say(b) }];
    }
    // A company goes with its name, a plan too.
    const differing = INSURANCE_FIELDS.filter(
      (field) => !REFERENCES.has(field) && shownValue(field, a[field]) !== shownValue(field, b[field]),
    );
    return differing.map((field) => ({
      ...{ rank, field, label: fieldLabel(field) },
      theirs: field === SSN ? maskSsn(a[field]) : a[field],
      mine: field === SSN ? maskSsn(b[field]) : b[field],
    }));
  });
}

/** The reference that is taken along with a name. */
export const REFERENCE_OF: Partial<Record<InsuranceField, InsuranceField>> = {
  carrier: "insurance_company",
  plan: "insurance_plan",
};

/** Whether two lists hold the same values, ignoring the IDs of their records. */
export function isSameAsTyped(a: readonly Entry[], b: readonly Entry[]): boolean {
  return a.length === b.length && compareEntries(a, b).length === 0;
}
