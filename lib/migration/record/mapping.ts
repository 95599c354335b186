import { type InsuranceFields, pickInsurance } from "@/lib/insurance/fields/fields";
import { toRank } from "@/lib/insurance/fields/limits";
import type { InsuranceToImport, PatientToImport } from "@/lib/insurance/patients/rules";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { LegacyInsurance, StagedPatient } from "./schema";

// Maps the patients, insurances and payers of an export to the practice's. The checks, plans, conversion and verification share it.

/** Maps the export's IDs to the practice's. */
export interface Destination {
  practiceId: number;
  /** Physicians by their IDs in the export. */
  physicians: ReadonlyMap<number, number>;
  /** Assigned to patients whose physician the practice doesn't have. */
  firstPhysician: number;
  companies: CompanyDirectory;
}

/** A patient as read, with card images or their hashes. */
type ReadPatient = Omit<StagedPatient, "insurance_cards"> & { insurance_cards?: unknown };

/** Returns the patient to create, without its card images. */
export function targetPatient(
  patient: ReadPatient,
  destination: Destination,
  now: string,
): Omit<PatientToImport, "fingerprint" | "cards"> {
  const { id, primary_physician: physician = null, created_date, insurance_cards: _cards, ...rest } = patient;
  const { insurances: current, deleted_insurances: past, deleted_date: _deleted, ...demographics } = rest;
  const known = physician === null ? undefined : destination.physicians.get(physician);
  const { companies } = destination;
  return {
    externalId: id,
    demographics: { primary_physician: known ?? destination.firstPhysician, ...demographics },
    createdDate: created_date && created_date < now ? created_date : now,
    insurances: [
      ...current.map((entry) => targetInsurance(entry, { isCurrent: true, companies, now })),
      ...past.map((entry) => targetInsurance(entry, { isCurrent: false, companies, now })),
    ],
  };
}

/** Returns the insurance to create. The export's plan ID has no meaning here, so only the name in `plan` is kept. */
export function targetInsurance(
  entry: LegacyInsurance,
  { isCurrent, companies, now }: { isCurrent: boolean; companies: CompanyDirectory; now: string },
): InsuranceToImport {
  const { from, until } = findLifetime(entry, isCurrent, now);
  return {
    externalId: entry.id,
    rank: toRank(entry.rank),
    fields: targetFields(entry, companies),
    createdDate: from,
    deletedDate: until,
  };
}

/** Returns the practice's legacy record of a current insurance with the export's values. */
export function changedInsurance(row: InsuranceRow, entry: LegacyInsurance, companies: CompanyDirectory): InsuranceRow {
  return { ...row, ...targetFields(entry, companies, row), rank: toRank(entry.rank) };
}

/** Returns the practice's legacy record of an insurance that ended in the export. Its other fields are unchanged. */
export function endedInsurance(row: InsuranceRow, entry: LegacyInsurance, now: string): InsuranceRow {
  const until = findLifetime(entry, false, now).until ?? now;
  return { ...row, deleted_date: until < row.created_date ? row.created_date : until };
}

/**
 * Returns when a legacy insurance began and ended: its own dates, or the nearest known ones.
 *
 * @param now ISO 8601 in UTC; no result is later
 */
function findLifetime(entry: LegacyInsurance, isCurrent: boolean, now: string): { from: string; until: string | null } {
  const earliest = (time: string | null | undefined, latest: string) => (time && time < latest ? time : latest);
  const startOf = (day: string | null | undefined) => (day ? `${day}T00:00:00.000Z` : null);
  if (isCurrent) return { from: earliest(entry.created_date ?? startOf(entry.start_date), now), until: null };
  const ended = earliest(entry.deleted_date ?? startOf(entry.end_date), now);
  const from = earliest(entry.created_date ?? startOf(entry.start_date) ?? ended, now);
  return { from, until: ended < from ? from : ended };
}

/**
 * Maps an insurance of the export to the fields of a policy. Plan IDs of the export have no meaning here, so only the name
 * in `plan` is kept.
 *
 * @param before the practice's record of it; keeps the fields that the export lacks, such as missing CSV columns
 */
export function targetFields(
  entry: LegacyInsurance,
  companies: CompanyDirectory,
  before: InsuranceFields | null = null,
): InsuranceFields {
  const fields = pickInsurance(entry, before);
  const isOmitted = entry.insurance_company === undefined && fields.carrier === before?.carrier;
  const company = (isOmitted ? before?.insurance_company : null) ?? findCompanyId(entry, companies);
  // A kept carrier would name the earlier company.
  const isKeptInError = entry.carrier === undefined && company !== before?.insurance_company;
  const carrier = isKeptInError ? null : fields.carrier;
  return { ...fields, carrier, insurance_company: company, insurance_plan: null };
}

/** A payer of the practice, or one that the conversion will create. */
export interface ListedCompany {
  /** ID in the export; null if the export doesn't have it. */
  externalId: number | null;
  /** ID in the practice; null until the conversion creates it. */
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

/** Returns the practice's payer ID of an insurance, or null if it has no payer or the conversion will create it. */
export function findCompanyId(entry: NamedCompany, companies: CompanyDirectory): number | null {
  if (entry.insurance_company) return companies.get(entry.insurance_company) ?? null;
  return companies.findNamed(entry.carrier)?.id ?? null;
}

/** Returns whether an insurance names a payer, by ID or by name. */
export const namesCompany = (entry: LegacyInsurance, companies: CompanyDirectory) =>
  Boolean(entry.insurance_company) || linkedCompany(entry, companies) !== null;

/** The practice's payers by name, in lower case and trimmed. Several may share a name. */
export type KnownCompanies = ReadonlyMap<string, readonly KnownCompany[]>;

/** A payer of the practice. Its ID is that of the export; null if the export doesn't have it. */
export interface KnownCompany {
  id: number | null;
  carrier: string;
}

/** Groups payers by name. */
export function companiesByName(companies: readonly KnownCompany[]): KnownCompanies {
  const named = new Map<string, KnownCompany[]>();
  for (const company of companies) {
    const name = nameOf(company.carrier);
    named.set(name, [...(named.get(name) ?? []), company]);
  }
  return named;
}

/** Returns the IDs that payers with different names share, with the names. */
export function ambiguousIds(companies: readonly { id: number; carrier: string }[]): Map<number, string[]> {
  const names = new Map<number, Map<string, string>>();
  for (const { id, carrier } of companies) {
    names.set(id, (names.get(id) ?? new Map()).set(nameOf(carrier), carrier.trim()));
  }
  return new Map([...names].flatMap(([id, found]) => (found.size > 1 ? [[id, [...found.values()]] as const] : [])));
}

/** Returns each payer once. If several share an ID, returns the first. */
export function firstOfEach<T extends { externalId: number }>(companies: readonly T[]): T[] {
  const seen = new Set<number>();
  return companies.filter(({ externalId }) => seen.size < seen.add(externalId).size);
}
