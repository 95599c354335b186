import { isDeepStrictEqual } from "node:util";
import type { PlacedImage } from "@/lib/insurance/card-image";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields";
import { toRank } from "@/lib/insurance/ranks";
import type { InsuranceRow } from "@/lib/patients/schema";
import type { PolicyWithVersion } from "@/lib/policies/migration-queries";
import { POLICY_COLUMNS, type PolicyRow } from "@/lib/policies/schema";
import type { LegacyInsurance } from "../schema/import";
import type { Outcome } from "../schema/run";
import { type PlanContext, targetFields } from "./plan-patient";
import type { StagedPatient } from "./staged-record";

/** Something on which two sides disagree. */
export interface Difference {
  /** `patient`, `insurance 12`, `policy 12`, `card 1 2` */
  where: string;
  field: string;
  /** Which two: the export, the legacy record, the policy, the policy's latest version, the image in the store. */
  between: [Side, Side];
  values: [unknown, unknown];
}

type Side = "export" | "legacy" | "policy" | "version" | "store";

/** A patient as both stores have it. */
export interface StoredPatient {
  id: number;
  version: number;
  first_name: string;
  middle_name: string;
  last_name: string;
  dob: string;
  sex: string;
  deleted_date: string | null;
  insurances: readonly InsuranceRow[];
  cards: readonly (PlacedImage & { rank: number })[];
  policies: readonly PolicyWithVersion[];
}

const IDENTITY = [
  ["first_name", "patient_first_name"],
  ["last_name", "patient_last_name"],
  ["dob", "patient_dob"],
] as const;

/** Collects what differs. */
class Differences {
  readonly found: Difference[] = [];

  compare(where: string, field: string, between: [Side, Side], values: [unknown, unknown]): void {
    const [a, b] = values.map((value) => value ?? null);
    if (!isDeepStrictEqual(a, b)) this.found.push({ where, field, between, values: [a, b] });
  }
}

/** Where the two stores of a patient disagree, field by field, and where a policy is not what its history says. */
export function compareStores(patient: StoredPatient): Difference[] {
  const differences = new Differences();
  const policies = new Map(patient.policies.map((policy) => [policy.id, policy]));
  for (const insurance of patient.insurances) {
    const policy = policies.get(insurance.policy_id);
    if (policy) comparePair(insurance, policy, differences);
    else differences.compare(`insurance ${insurance.id}`, "policy", ["legacy", "policy"], [insurance.policy_id, null]);
  }
  const twins = new Map(patient.insurances.map((row) => [row.policy_id, row]));
  for (const policy of patient.policies) {
    const where = `policy ${policy.id}`;
    const ranked = policy.status === "active" && policy.rank !== null;
    if (ranked && !twins.has(policy.id)) {
      differences.compare(where, "patient_insurance", ["legacy", "policy"], [null, policy.patient_insurance]);
    }
    if (policy.status === "active") {
      for (const [field, column] of IDENTITY) {
        differences.compare(where, column, ["legacy", "policy"], [patient[field], policy[column]]);
      }
    }
    compareHistory(policy, differences);
  }
  compareCards(patient, differences);
  return differences.found;
}

function comparePair(insurance: InsuranceRow, policy: PolicyWithVersion, differences: Differences): void {
  const where = `policy ${policy.id}`;
  const pair = (field: string, legacy: unknown, here: unknown) =>
    differences.compare(where, field, ["legacy", "policy"], [legacy, here]);
  pair("patient_insurance", insurance.id, policy.patient_insurance);
  pair("patient", insurance.patient_id, policy.patient_id);
  pair("practice", insurance.practice_id, policy.practice_id);
  pair("status", insurance.deleted_date === null ? "active" : "archived", policy.status);
  if (insurance.deleted_date === null || policy.rank !== null) pair("rank", insurance.rank, policy.rank);
  for (const field of INSURANCE_FIELDS) pair(field, insurance[field], policy[field]);
  pair("created_date", insurance.created_date, policy.created_date);
}

/** A policy is what its latest version says: whoever writes past the application writes no version. */
function compareHistory(policy: PolicyWithVersion, differences: Differences): void {
  const where = `policy ${policy.id}`;
  const { latest, ...row } = policy;
  differences.compare(where, "version", ["version", "policy"], [latest?.version, row.version]);
  if (!latest) return;
  for (const column of POLICY_COLUMNS) {
    differences.compare(
      where,
      column,
      ["version", "policy"],
      [latest.snapshot[column], row[column as keyof PolicyRow]],
    );
  }
  differences.compare(
    where,
    "card_images",
    ["version", "policy"],
    [places(latest.snapshot.card_images), places(row.card_images)],
  );
}

function compareCards(patient: StoredPatient, differences: Differences): void {
  for (const rank of [1, 2, 3]) {
    const holder = patient.insurances.find((row) => row.deleted_date === null && row.rank === rank);
    const policy = holder && patient.policies.find(({ id }) => id === holder.policy_id);
    if (!policy) continue;
    const legacy = patient.cards.filter((card) => card.rank === rank);
    differences.compare(
      `policy ${policy.id}`,
      "card_images",
      ["legacy", "policy"],
      [places(legacy), places(policy.card_images)],
    );
  }
}

const places = (images: readonly PlacedImage[]) =>
  images
    .map(({ image_rank, image_key, sha256, content_type, bytes, width, height }) =>
      [image_rank, image_key, sha256, content_type, bytes, width, height].join(" "),
    )
    .sort();

/**
 * Where what is stored is not what the export said, for a patient nobody has changed since the conversion.
 */
export function compareWithExport(
  record: StagedPatient,
  patient: StoredPatient,
  { companies, outcome }: { companies: PlanContext["companies"]; outcome: Outcome | null },
): Difference[] {
  const differences = new Differences();
  if (outcome?.created) {
    for (const field of ["first_name", "middle_name", "last_name", "dob", "sex"] as const) {
      differences.compare("patient", field, ["export", "legacy"], [record[field] ?? "", patient[field]]);
    }
  }
  differences.compare("patient", "deleted_date", ["export", "legacy"], [null, patient.deleted_date]);
  const added = new Set(outcome?.added ?? []);
  for (const row of patient.insurances.filter(({ id }) => added.has(id))) {
    const policy = patient.policies.find(({ id }) => id === row.policy_id);
    if (!policy) continue;
    const dates = [row.deleted_date, policy.archived_date] as [unknown, unknown];
    differences.compare(`policy ${policy.id}`, "archived_date", ["legacy", "policy"], dates);
  }
  const rows = new Map(patient.insurances.map((row) => [row.external_id, row]));
  for (const [list, entries] of [
    ["insurances", record.insurances],
    ["deleted_insurances", record.deleted_insurances],
  ] as const) {
    for (const entry of entries) compareEntry(entry, list, rows.get(entry.id), { companies, differences, added });
  }
  const known = new Set([...record.insurances, ...record.deleted_insurances].map(({ id }) => id));
  for (const row of patient.insurances) {
    const isUnknown = row.deleted_date === null && row.external_id !== null && !known.has(row.external_id);
    if (isUnknown) differences.compare(`insurance ${row.id}`, "id", ["export", "legacy"], [null, row.external_id]);
  }
  // A card of no current insurance is only taken over with its patient.
  const current = new Set<number>(record.insurances.map((entry) => toRank(entry.rank)));
  const cards = record.insurance_cards.filter(({ rank }) => outcome?.created || current.has(rank));
  for (const { rank, images } of cards) {
    for (const { side } of images) {
      const isThere = patient.cards.some((card) => card.rank === rank && card.image_rank === side);
      differences.compare(`card ${rank} ${side}`, "image", ["export", "legacy"], [true, isThere]);
    }
  }
  for (const { rank, side, sha256 } of outcome?.cards ?? []) {
    const card = patient.cards.find((one) => one.rank === rank && one.image_rank === side);
    if (card) differences.compare(`card ${rank} ${side}`, "sha256", ["export", "legacy"], [sha256, card.sha256]);
  }
  return differences.found;
}

function compareEntry(
  entry: LegacyInsurance,
  list: "insurances" | "deleted_insurances",
  row: InsuranceRow | undefined,
  {
    companies,
    differences,
    added,
  }: { companies: PlanContext["companies"]; differences: Differences; added: ReadonlySet<number> },
): void {
  const where = row ? `insurance ${row.id}` : `insurance ${entry.id} of the export`;
  const pair = (field: string, exported: unknown, here: unknown) =>
    differences.compare(where, field, ["export", "legacy"], [exported, here]);
  pair("record", true, row !== undefined);
  if (!row) return;
  pair("status", list === "insurances" ? "current" : "past", row.deleted_date === null ? "current" : "past");
  // One that was past here already stayed as it was.
  if (list === "deleted_insurances" && !added.has(row.id)) return;
  pair("rank", toRank(entry.rank), row.rank);
  const target = targetFields(entry, companies);
  for (const field of INSURANCE_FIELDS) pair(field, target[field], row[field]);
}
