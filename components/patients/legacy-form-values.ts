import { INSURANCE_FIELDS, policyName, withFieldLabels } from "@/components/policies/fields";
import { normalizeMoney } from "@/components/policies/form-values";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/ranks";
import type { LegacyInsurance } from "./use-patient";

/** An insurance as its form holds it: every value as it is typed. */
export type Entry = Record<InsuranceField, string> & { id: number | null; rank: RankWord };
export interface LegacyForm {
  insurances: Entry[];
}

export const REFERENCES: ReadonlySet<string> = new Set(["insurance_company", "insurance_plan"]);
const AMOUNTS: ReadonlySet<string> = new Set(["copay", "deductible"]);

export function toEntry(insurance: Partial<LegacyInsurance> & { rank: RankWord }): Entry {
  const values = INSURANCE_FIELDS.map((field) => [field, String(insurance[field] ?? "")]);
  return { ...Object.fromEntries(values), id: insurance.id ?? null, rank: insurance.rank };
}

/** Insurances in the order of their priority. */
export function toForm(insurances: readonly LegacyInsurance[]): LegacyForm {
  const places = (insurance: LegacyInsurance) => RANK_WORDS.indexOf(insurance.rank);
  return { insurances: [...insurances].sort((a, b) => places(a) - places(b)).map(toEntry) };
}

/** An insurance as it is sent: nothing typed is nothing. */
export function toRequestBody(entry: Entry): Record<string, unknown> {
  const values = INSURANCE_FIELDS.map((field) => [field, toValue(field, entry[field])]);
  return { id: entry.id, rank: entry.rank, ...Object.fromEntries(values) };
}

/** A field's value as the API takes it; null for an empty field. */
export function toValue(field: InsuranceField, typed: string): string | number | null {
  const text = AMOUNTS.has(field) ? normalizeMoney(typed) : typed.trim();
  if (text === "") return null;
  return REFERENCES.has(field) ? Number(text) : text;
}

/** Priorities nobody has, the highest first. */
export function freeRanks(entries: readonly Pick<Entry, "rank">[]): RankWord[] {
  return RANK_WORDS.filter((word) => !entries.some(({ rank }) => rank === word));
}

/** How an insurance is spoken of. */
export function entryName({ carrier, plan }: Pick<Entry, "carrier" | "plan">): string {
  return carrier || plan ? policyName({ id: 0, carrier: carrier || null, plan: plan || null }) : "an insurance";
}

/** Whether two lists of records are the same. */
export function sameInsurances(a: readonly LegacyInsurance[], b: readonly LegacyInsurance[]): boolean {
  return JSON.stringify(toForm(a)) === JSON.stringify(toForm(b));
}

/** What is wrong with which input, by the server's words: `insurances.0.end_date`. */
export function toFormErrors(
  fields: Record<string, string[]>,
): { path: `insurances.${number}.${InsuranceField}`; message: string }[] {
  return Object.entries(fields).map(([path, messages]) => {
    // A company and a plan are seen by their names.
    const shown = path.replace(/insurance_company$/, "carrier").replace(/insurance_plan$/, "plan");
    return { path: shown as `insurances.${number}.${InsuranceField}`, message: withFieldLabels(messages[0] ?? "") };
  });
}

/** Gives an insurance another priority; whoever has it takes the `former` one. In the order of priority, and where it is then. */
export function withRank(
  entries: readonly Entry[],
  { at, rank, former }: { at: number; rank: RankWord; former: RankWord },
): { sorted: Entry[]; place: number } {
  const changed = entries.map((entry, place) => {
    if (place === at) return { ...entry, rank };
    return entry.rank === rank ? { ...entry, rank: former } : entry;
  });
  const sorted = [...changed].sort((a, b) => RANK_WORDS.indexOf(a.rank) - RANK_WORDS.indexOf(b.rank));
  return { sorted, place: sorted.indexOf(changed[at] as Entry) };
}
