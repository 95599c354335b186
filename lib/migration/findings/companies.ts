/** A company of the practice, or one that the conversion will create. */
export interface ListedCompany {
  /** Its id in the other system; null where that doesn't know it. */
  externalId: number | null;
  /** Its id here; null until the conversion creates it. */
  id: number | null;
  carrier: string;
}

const nameOf = (carrier: string) => carrier.trim().toLowerCase();

/**
 * What the companies of an export are here: by their ids there (null where the conversion will create the company), and by
 * their names.
 */
export class CompanyDirectory extends Map<number, number | null> {
  /** Ids that stand in the export's companies with several names. */
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

  /** The one company of this name, ignoring case and outer space; of several, the only one written exactly so. */
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

/** The company an insurance is linked to by its carrier's name alone; null where it names a company by id, or none. */
export function linkedCompany({ insurance_company: id, carrier }: NamedCompany, companies: CompanyDirectory) {
  return id ? null : companies.findNamed(carrier);
}

/** The id here of the company an insurance is of; null where there is none, or the conversion has yet to create it. */
export function companyOf(entry: NamedCompany, companies: CompanyDirectory): number | null {
  if (entry.insurance_company) return companies.get(entry.insurance_company) ?? null;
  return companies.findNamed(entry.carrier)?.id ?? null;
}
