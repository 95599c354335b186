import { INSURANCE_FIELDS, isPolicyField, policyName, withFieldLabels } from "@/components/policies/fields";
import { normalizeMoney } from "@/components/policies/form-values";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/limits";
import { legacyEntry as text } from "./messages/legacy-form";
import type { LegacyInsurance } from "./use-patient";

/** An insurance in the form, with every value as typed. */
export type Entry = Record<InsuranceField, string> & { id: number | null; rank: RankWord };
export interface LegacyFormValues {
  insurances: Entry[];
}

/** Fields that hold the ID of a payer or plan. */
export const REFERENCES: ReadonlySet<string> = new Set(["insurance_company", "insurance_plan"]);
const MONEY: ReadonlySet<string> = new Set(["copay", "deductible"]);

export function toEntry(insurance: Partial<LegacyInsurance> & { rank: RankWord }): Entry {
  const values = INSURANCE_FIELDS.map((field) => [field, String(insurance[field] ?? "")]);
  return { ...Object.fromEntries(values), id: insurance.id ?? null, rank: insurance.rank };
}

/** Returns the form's values, sorted by rank. */
export function toForm(insurances: readonly LegacyInsurance[]): LegacyFormValues {
  return { insurances: sortByRank(insurances).map(toEntry) };
}

/** Returns an insurance as the API takes it. */
export function toRequestBody(entry: Entry): Record<string, unknown> {
  const values = INSURANCE_FIELDS.map((field) => [field, toValue(field, entry[field])]);
  return { id: entry.id, rank: entry.rank, ...Object.fromEntries(values) };
}

/** Returns a field's value as the API takes it; null for an empty field. */
export function toValue(field: InsuranceField, typed: string): string | number | null {
  const value = MONEY.has(field) ? normalizeMoney(typed) : typed.trim();
  if (value === "") return null;
  return REFERENCES.has(field) ? Number(value) : value;
}

/** Returns the priorities that no insurance has, highest first. */
export function freeRanks(entries: readonly Pick<Entry, "rank">[]): RankWord[] {
  return RANK_WORDS.filter((word) => !entries.some(({ rank }) => rank === word));
}

/** Names an insurance by its carrier and plan. */
export function entryName({ carrier, plan }: Pick<Entry, "carrier" | "plan">): string {
  return carrier || plan ? policyName({ id: 0, carrier: carrier || null, plan: plan || null }) : text.unnamed;
}

export function isSameInsurances(a: readonly LegacyInsurance[], b: readonly LegacyInsurance[]): boolean {
  return JSON.stringify(toForm(a)) === JSON.stringify(toForm(b));
}

type FieldPath = `insurances.${number}.${InsuranceField}`;

/** Maps the server's errors, such as `insurances.0.end_date`, to inputs of the form. */
export function toFormErrors(fields: Record<string, string[]>): { path: FieldPath; message: string }[] {
  return Object.entries(fields).flatMap(([path, [message = ""]]) => {
    const [, index, field = ""] = /^insurances\.(\d+)\.(\w+)$/.exec(path) ?? [];
    // The form shows payers and plans by name.
    const shown = field === "insurance_company" ? "carrier" : field === "insurance_plan" ? "plan" : field;
    if (!isPolicyField(shown) || shown === "rank") return [];
    return [{ path: `insurances.${Number(index)}.${shown}` as const, message: withFieldLabels(message) }];
  });
}

interface RankSwap {
  index: number;
  rank: RankWord;
  /** The priority that the insurance had, which goes to the one that had `rank`. */
  former: RankWord;
}

/** Swaps the ranks of two insurances. Returns all sorted by rank, and the new index of the changed one. */
export function swapRanks(
  entries: readonly Entry[],
  { index, rank, former }: RankSwap,
): { sorted: Entry[]; newIndex: number } {
  const changed = entries.map((entry, other) => {
    if (other === index) return { ...entry, rank };
    return entry.rank === rank ? { ...entry, rank: former } : entry;
  });
  const sorted = sortByRank(changed);
  return { sorted, newIndex: sorted.findIndex(({ rank: sortedRank }) => sortedRank === rank) };
}

function sortByRank<T extends { rank: RankWord }>(insurances: readonly T[]): T[] {
  return insurances.toSorted((a, b) => RANK_WORDS.indexOf(a.rank) - RANK_WORDS.indexOf(b.rank));
}
