import { isDeepStrictEqual } from "node:util";
import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields/fields";
import type { PatientWithLegacy } from "@/lib/insurance/patients/import-queries";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { PolicyWithVersion } from "@/lib/insurance/policies/migration-queries";
import { POLICY_COLUMNS } from "@/lib/insurance/policies/schema";

/** A difference between two sources. */
export interface Difference {
  /** `patient`, `insurance 12`, `policy 12`, `policy 12 version 1`, `card 1 2`, `record` */
  where: string;
  /** A field, or a part of one: `ssn`, `address.city`, `phones[0].phone` */
  field: string;
  /** The two sources that differ. */
  between: [Side, Side];
  values: [unknown, unknown];
}

export type Side = "export" | "legacy" | "policy" | "version" | "store";

/** The place of a comparison, and its two sources. */
export interface About {
  where: string;
  between: [Side, Side];
}

/** Collects differences. */
export class Differences {
  readonly found: Difference[] = [];

  /** Compares two values as a whole. */
  compare(where: string, field: string, between: [Side, Side], values: [unknown, unknown]): void {
    const a = values[0] ?? null;
    const b = values[1] ?? null;
    if (a !== b && !isDeepStrictEqual(a, b))
      this.found.push({ where, field, between, values: concealed(field, [a, b]) });
  }

  /** Compares two values part by part, so that a difference names the part: `address.city`. */
  compareParts(about: About, field: string, values: [unknown, unknown]): void {
    const a = values[0] ?? null;
    const b = values[1] ?? null;
    if (a === b || isDeepStrictEqual(a, b)) return;
    if (Array.isArray(a) && Array.isArray(b)) {
      const longer = a.length > b.length ? a : b;
      for (const at of longer.keys()) this.compareParts(about, `${field}[${at}]`, [a[at], b[at]]);
    } else if (isObject(a) && isObject(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
        this.compareParts(about, `${field}.${key}`, [a[key], b[key]]);
      }
    } else this.compare(about.where, field, about.between, [a, b]);
  }

  /** Compares these fields of two records, part by part. */
  compareFields(about: About, fields: Iterable<string>, [a, b]: [object, object]): void {
    for (const field of fields) this.compareParts(about, field, [Reflect.get(a, field), Reflect.get(b, field)]);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Results are printed, stored and shown, so social security numbers are masked except for their last four digits. */
const CONCEALED = /(^|[._])ssn$/;

function concealed(field: string, values: [unknown, unknown]): [unknown, unknown] {
  if (!CONCEALED.test(field)) return values;
  const [a, b] = values.map((value) => (typeof value === "string" && value !== "" ? `***${value.slice(-4)}` : value));
  return [a, b];
}

/** A patient from both stores. */
export interface StoredPatient extends PatientWithLegacy {
  policies: readonly PolicyWithVersion[];
}

const IDENTITY = [
  ["first_name", "patient_first_name"],
  ["last_name", "patient_last_name"],
  ["dob", "patient_dob"],
] as const;

/** Compares both stores of a patient field by field, and each policy with its history. */
export function compareStores(patient: StoredPatient): Difference[] {
  const differences = new Differences();
  const policies = new Map(patient.policies.map((policy) => [policy.id, policy]));
  for (const insurance of patient.insurances) {
    const policy = policies.get(insurance.policy_id);
    if (policy) comparePair(insurance, policy, differences);
    else differences.compare(`insurance ${insurance.id}`, "policy", ["legacy", "policy"], [insurance.policy_id, null]);
  }
  const insurances = new Map(patient.insurances.map((row) => [row.policy_id, row]));
  for (const policy of patient.policies) {
    const where = `policy ${policy.id}`;
    const ranked = policy.status === "active" && policy.rank !== null;
    if (ranked && !insurances.has(policy.id)) {
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

/** Compares a policy with its latest version: writes outside the application create no version. */
function compareHistory(policy: PolicyWithVersion, differences: Differences): void {
  const where = `policy ${policy.id}`;
  const { latest, ...row } = policy;
  differences.compare(where, "version", ["version", "policy"], [latest?.version, row.version]);
  if (!latest) return;
  for (const column of POLICY_COLUMNS) {
    differences.compare(where, column, ["version", "policy"], [latest.snapshot[column], row[column]]);
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

/** Returns card images in order, each as text. A value that isn't a list is returned unchanged. */
export const places = (images: readonly PlacedImage[]) =>
  Array.isArray(images)
    ? images
        .map(({ image_rank, image_key, sha256, content_type, bytes, width, height }) =>
          [image_rank, image_key, sha256, content_type, bytes, width, height].join(" "),
        )
        .sort()
    : images;
