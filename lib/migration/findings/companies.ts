/** A payer of the practice, or one that the conversion will create. */
export interface ListedCompany {
  /** Id in the export; null if the export doesn't have it. */
  externalId: number | null;
  /** Id in the practice; null until the conversion creates it. */
  id: number | null;
  carrier: string;
}

const nameOf = (carrier: string) => carrier.trim().toLowerCase();

/** Maps the payers of an export to the practice's, by ID (null if the conversion will create the payer) and by name. */
export class CompanyDirectory extends Map<number, number | null> {
  /** IDs that payers with different names share in the export, with the names. */
  readonly ambiguous: ReadonlyMap<number, readonly string[]>;
  readonly #named = new Map<string, ListedCompany[]>();

  constructor(
    ids: Iterable<readonly [number, number | null]>,
    { named, ambiguous = new Map() }: { named: readonly ListedCompany[]; ambiguous?: CompanyDirectory["ambiguous"] },
  ) {
    super(ids);
    this.ambiguous = ambiguous;
    for (const company of named) {
      if (company.externalId !== null && ambiguous.has(company.externalId)) continue;
      const name = nameOf(company.carrier);
      if (name !== "") this.#named.set(name, [...(this.#named.get(name) ?? []), company]);
    }
  }

  /** Returns the payer of this name, ignoring case and outer space. If several match, returns the only exact match. */
  findNamed(carrier: string | null | undefined): ListedCompany | null {
    const found = this.#named.get(nameOf(carrier ?? "")) ?? [];
    const [only, ...others] = found.length > 1 ? found.filter((company) => company.carrier === carrier) : found;
    return only && others.length === 0 ? only : null;
  }
}

interface NamedCompany {
  insurance_company?: number | null | undefined;
  carrier?: string | null | undefined;
}

/** Returns the payer that an insurance names by carrier alone; null if it has a payer ID, or none matches. */
export function linkedCompany({ insurance_company: id, carrier }: NamedCompany, companies: CompanyDirectory) {
  return id ? null : companies.findNamed(carrier);
}

/** Returns the practice's payer ID of an insurance; null if there is none, or the conversion has yet to create it. */
export function findCompanyId(entry: NamedCompany, companies: CompanyDirectory): number | null {
  if (entry.insurance_company) return companies.get(entry.insurance_company) ?? null;
  return companies.findNamed(entry.carrier)?.id ?? null;
}

/** The practice's payers by name, in lower case and trimmed. Several may share a name. */
export type KnownCompanies = ReadonlyMap<string, readonly KnownCompany[]>;

/** A payer of the practice. Its id is that of the export; null if the export doesn't have it. */
export interface KnownCompany {
  id: number | null;
  carrier: string;
}

/** Groups payers by name. */
export function companiesByName(companies: readonly KnownCompany[]): KnownCompanies {
  const named = new Map<string, KnownCompany[]>();
  for (const company of companies) {
    const name = company.carrier.trim().toLowerCase();
    named.set(name, [...(named.get(name) ?? []), company]);
  }
  return named;
}

/** Returns the IDs that payers with different names share, with the names. */
export function ambiguousIds(companies: readonly { id: number; carrier: string }[]): Map<number, string[]> {
  const names = new Map<number, Map<string, string>>();
  for (const { id, carrier } of companies) {
    names.set(id, (names.get(id) ?? new Map()).set(carrier.trim().toLowerCase(), carrier.trim()));
  }
  return new Map([...names].flatMap(([id, found]) => (found.size > 1 ? [[id, [...found.values()]] as const] : [])));
}

/** Returns each payer once. If several have one id, returns the first. */
export function firstOfEach<T extends { externalId: number }>(companies: readonly T[]): T[] {
  const seen = new Set<number>();
  return companies.filter(({ externalId }) => seen.size < seen.add(externalId).size);
}
