import type { KnownCompanies, KnownCompany } from "./fixes";

/** Groups payers by name. */
export function companiesByName(companies: readonly KnownCompany[]): KnownCompanies {
  const named = new Map<string, KnownCompany[]>();
  for (const company of companies) {
    const name = company.carrier.trim().toLowerCase();
    named.set(name, [...(named.get(name) ?? []), company]);
  }
  return named;
}

/** Returns ids that a list gives to payers with different names, with the names. */
export function ambiguousIds(companies: readonly { id: number; carrier: string }[]): Map<number, string[]> {
  const names = new Map<number, Map<string, string>>();
  for (const { id, carrier } of companies) {
    names.set(id, (names.get(id) ?? new Map()).set(carrier.trim().toLowerCase(), carrier.trim()));
  }
  return new Map([...names].flatMap(([id, found]) => (found.size > 1 ? [[id, [...found.values()]] as const] : [])));
}

/** Returns each payer once. Of several with one id, the first. */
export function firstOfEach<T extends { externalId: number }>(companies: readonly T[]): T[] {
  const seen = new Set<number>();
  return companies.filter(({ externalId }) => seen.size < seen.add(externalId).size);
}
