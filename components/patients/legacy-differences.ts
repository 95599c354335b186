import { fieldLabel, INSURANCE_FIELDS } from "@/components/policies/fields";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/limits";
import { maskSsn } from "@/lib/insurance/fields/masked-ssn";
import { type Entry, entryName, REFERENCES, toValue } from "./legacy-form-values";
import { legacyConflict as text } from "./messages/legacy-saving";

const SSN = "insured_person_ssn";

/** A difference between what someone else has saved and what the user typed, at one priority. */
export interface Difference {
  rank: RankWord;
  /** null if only one side has an insurance of this priority. */
  field: InsuranceField | null;
  /** The field's label; empty if there is no field. */
  label: string;
  theirs: string;
  mine: string;
}

/** Compares the insurances that someone else has saved with those the user typed. */
export function compareEntries(theirs: readonly Entry[], mine: readonly Entry[]): Difference[] {
  return RANK_WORDS.flatMap((rank): Difference[] => {
    const their = theirs.find((entry) => entry.rank === rank);
    const my = mine.find((entry) => entry.rank === rank);
    if (!their && !my) return [];
    if (!their || !my) {
      const name = (entry: Entry | undefined) => (entry ? entryName(entry) : text.noInsurance);
      return [{ rank, field: null, label: "", theirs: name(their), mine: name(my) }];
    }
    // References are compared by the names that belong to them.
    const differing = INSURANCE_FIELDS.filter(
      (field) => !REFERENCES.has(field) && comparable(field, their[field]) !== comparable(field, my[field]),
    );
    return differing.map((field) => ({
      rank,
      field,
      label: fieldLabel(field),
      theirs: field === SSN ? maskSsn(their[field]) : their[field],
      mine: field === SSN ? maskSsn(my[field]) : my[field],
    }));
  });
}

/** Returns a value as the server would show it, with the SSN masked. */
function comparable(field: InsuranceField, typed: string): string | number | null {
  const value = toValue(field, typed);
  return field === SSN && typeof value === "string" ? maskSsn(value) : value;
}

/** The reference that belongs to a name. */
export const REFERENCE_OF: Partial<Record<InsuranceField, InsuranceField>> = {
  carrier: "insurance_company",
  plan: "insurance_plan",
};

/** Returns whether two lists hold the same values, ignoring the IDs of their records. */
export function isSameAsTyped(a: readonly Entry[], b: readonly Entry[]): boolean {
  return a.length === b.length && compareEntries(a, b).length === 0;
}
