import { toRank } from "@/lib/insurance/fields/limits";
import {
  type InsuranceToImport,
  type PatientHistoryEntry,
  recordedFields,
  toPatientRow,
} from "@/lib/insurance/patients/rules";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import type { ImageSpan, PolicyVersion } from "@/lib/insurance/policies/migration-queries";
import { importedVersions } from "@/lib/insurance/policies/rules";
import { POLICY_COLUMNS } from "@/lib/insurance/policies/schema";
import {
  type About,
  type Difference,
  Differences,
  places,
  type Side,
  type StoredPatient,
} from "@/lib/migration/plan/compare-stores";
import type { PlanContext } from "@/lib/migration/plan/plan-patient";
import {
  changedInsurance,
  type Destination,
  endedInsurance,
  targetFields,
  targetInsurance,
  targetPatient,
} from "@/lib/migration/record/mapping";
import type { LegacyInsurance, StagedPatient } from "@/lib/migration/record/schema";
import type { Outcome } from "@/lib/migration/runs/schema";

const BETWEEN: [Side, Side] = ["export", "legacy"];

/** The data that a stored patient is compared with, apart from the record of the export. */
export interface ExportContext {
  /** Companies and physicians by their IDs in the export. */
  destination: Omit<Destination, "companies"> & Pick<PlanContext, "companies">;
  /** The outcome that the conversion stored; null if it wrote nothing. */
  outcome: Outcome | null;
  /** The patient's versions, oldest first. */
  history: readonly PatientHistoryEntry[];
  /** Every version of the policies of a patient that the run created, by policy. */
  versions: ReadonlyMap<number, readonly PolicyVersion[]>;
  /** From which version the policies of such a patient show their images. */
  imageSpans: ReadonlyMap<number, readonly ImageSpan[]>;
  /** IDs of skipped past insurances, which must be unchanged. */
  leftOut?: ReadonlySet<number>;
}

/**
 * Compares a patient that was not edited since the conversion with what the conversion writes for its record, field by
 * field.
 */
export function compareWithExport(record: StagedPatient, patient: StoredPatient, context: ExportContext): Difference[] {
  const { outcome } = context;
  const differences = new Differences();
  differences.compare("patient", "deleted_date", BETWEEN, [null, patient.deleted_date]);
  if (outcome?.created) comparePatient(record, patient, context, differences);
  compareInsurances(record, patient, context, differences);
  if (outcome?.created) comparePolicies(record, patient, context, differences);
  compareCards(record, patient, outcome, differences);
  return differences.found;
}

/**
 * Compares a patient that was edited since the run created it: the first version must record the values of the export.
 */
export function compareCreation(record: StagedPatient, patient: StoredPatient, context: ExportContext): Difference[] {
  const differences = new Differences();
  const recorded = recordedFields(context.history.slice(0, 1));
  const { demographics } = targetPatient(record, context.destination, patient.created_date);
  const { primary_physician: _physician, ...exported } = demographics;
  const noted = Object.fromEntries(recorded);
  const about: About = { where: "patient version 1", between: ["export", "version"] };
  differences.compareFields(about, Object.keys(exported), [plain(exported), noted]);
  return differences.found;
}

/** Returns a value as JSON preserves it. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Returns when the run wrote a patient. The conversion uses this time if the export has no date. */
function convertedAt({ outcome, history }: ExportContext): string | null {
  return history.find(({ version }) => version === outcome?.version)?.occurred_date ?? null;
}

function comparePatient(
  record: StagedPatient,
  patient: StoredPatient,
  context: ExportContext,
  differences: Differences,
): void {
  const { destination, outcome, history } = context;
  const now = convertedAt(context);
  if (now === null) {
    differences.compare("patient", "version", ["version", "legacy"], [null, patient.version]);
    return;
  }
  const target = { fingerprint: outcome?.fingerprint ?? "", ...targetPatient(record, destination, now) };
  const { details, ...expected } = plain(toPatientRow(target, { practiceId: destination.practiceId, now }));
  // Physicians may have been added or removed since. The history has the one that the conversion chose.
  const physician = recordedFields(history.slice(0, 1)).get("primary_physician_id");
  const columns = { ...expected, primary_physician_id: physician ?? expected.primary_physician_id };
  const skipped = [
    "external_id",
    "practice_id",
    ...(isFromNow(context, expected.created_date, now) ? ["created_date"] : []),
    // Conversions of earlier releases recorded no fingerprint.
    ...(outcome?.fingerprint === undefined ? ["source_fingerprint"] : []),
  ];
  const about = { where: "patient", between: BETWEEN };
  const compared = Object.keys(columns).filter((column) => !skipped.includes(column));
  differences.compareFields(about, compared, [columns, patient]);
  const isHere = patient.practice_id === columns.practice_id && patient.external_id === columns.external_id;
  if (!isHere) differences.compare("patient", "id", BETWEEN, [columns.external_id, patient.external_id]);
  const fields = new Set([...Object.keys(details), ...Object.keys(patient.details)]);
  differences.compareFields(about, fields, [details, patient.details]);
}

/** Conversions of earlier releases read the clock more than once, so their times can't be recomputed. */
function isFromNow({ outcome }: ExportContext, time: string, now: string): boolean {
  return time === now && outcome?.created === true && outcome.fingerprint === undefined;
}

type List = "insurances" | "deleted_insurances";

function compareInsurances(
  record: StagedPatient,
  patient: StoredPatient,
  context: ExportContext,
  differences: Differences,
): void {
  const rows = new Map(patient.insurances.map((row) => [row.external_id, row]));
  for (const list of ["insurances", "deleted_insurances"] as const) {
    for (const entry of record[list]) compareEntry({ entry, list, row: rows.get(entry.id) }, context, differences);
  }
  const known = new Set([...record.insurances, ...record.deleted_insurances].map(({ id }) => id));
  for (const id of context.leftOut ?? []) known.add(id);
  const before = rowsBefore(context);
  for (const row of patient.insurances) {
    const isUnknown = row.external_id !== null && !known.has(row.external_id);
    if (!isUnknown) continue;
    if (row.deleted_date === null) differences.compare(`insurance ${row.id}`, "id", BETWEEN, [null, row.external_id]);
    // Missing from the export: the conversion archived it and changed nothing else.
    const previous = before.get(row.id);
    const now = convertedAt(context);
    if (previous && now) compareRow({ ...previous, deleted_date: now }, row, differences);
  }
  const changed = new Set([...(context.outcome?.added ?? []), ...before.keys()]);
  for (const row of patient.insurances.filter(({ id }) => changed.has(id))) {
    const policy = patient.policies.find(({ id }) => id === row.policy_id);
    if (!policy) continue;
    const dates: [unknown, unknown] = [row.deleted_date, policy.archived_date];
    differences.compare(`policy ${policy.id}`, "archived_date", ["legacy", "policy"], dates);
  }
}

/** Returns the legacy insurances that the run changed, as they were before. */
const rowsBefore = ({ outcome }: ExportContext) => new Map((outcome?.before ?? []).map(({ id, row }) => [id, row]));

function compareEntry(
  { entry, list, row }: { entry: LegacyInsurance; list: List; row: InsuranceRow | undefined },
  context: ExportContext,
  differences: Differences,
): void {
  const where = row ? `insurance ${row.id}` : `insurance ${entry.id} of the export`;
  differences.compare(where, "record", BETWEEN, [true, row !== undefined]);
  if (!row) return;
  const isCurrent = list === "insurances";
  const states = [isCurrent, row.deleted_date === null].map((current) => (current ? "current" : "past"));
  differences.compare(where, "status", BETWEEN, [states[0], states[1]]);
  const expected = expectedRow({ entry, isCurrent, row }, context);
  if (expected) compareRow(expected, row, differences);
}

interface StoredEntry {
  entry: LegacyInsurance;
  isCurrent: boolean;
  row: InsuranceRow;
}

/** Returns the row that the conversion left; null for one that had ended before. */
function expectedRow(stored: StoredEntry, context: ExportContext): InsuranceRow | null {
  const expected = convertedRow(stored, context);
  return expected && { ...expected, insurance_company: expectedCompany(stored, expected, context) };
}

/**
 * Returns the payer that the conversion found. The practice may have renamed, added or deleted payers since, so that
 * the export's id or the carrier's name may now match another one.
 */
function expectedCompany({ entry, isCurrent, row }: StoredEntry, found: InsuranceRow, { outcome }: ExportContext) {
  const isSettled = entry.insurance_company && found.insurance_company !== null;
  if (isSettled || (outcome && !outcome.companies)) return found.insurance_company;
  const noted = outcome?.companies?.[entry.id];
  if (noted !== undefined) return noted;
  return isCurrent ? row.insurance_company : found.insurance_company;
}

function convertedRow({ entry, isCurrent, row }: StoredEntry, context: ExportContext): InsuranceRow | null {
  const { companies } = context.destination;
  const now = convertedAt(context);
  if (context.outcome?.added.includes(row.id)) {
    const target = targetInsurance(entry, { isCurrent, companies, now: now ?? row.created_date });
    return toRow(row, target, isFromNow(context, target.createdDate, now ?? "") ? row.created_date : null);
  }
  const before = rowsBefore(context).get(row.id);
  if (isCurrent) {
    const changed = changedInsurance(before ?? row, entry, companies);
    // Conversions of earlier releases emptied the fields that an export lacked.
    if (context.outcome && !context.outcome.companies) Object.assign(changed, targetFields(entry, companies));
    // An insurance without changes in the export keeps its plan.
    return before ? changed : { ...changed, insurance_plan: row.insurance_plan };
  }
  return before && now ? endedInsurance(before, entry, now) : null;
}

function toRow(row: InsuranceRow, target: InsuranceToImport, createdDate: string | null): InsuranceRow {
  // One literal with one spread: V8 takes a hundred times longer for several.
  return {
    id: row.id,
    patient_id: row.patient_id,
    practice_id: row.practice_id,
    policy_id: row.policy_id,
    external_id: target.externalId,
    rank: target.rank,
    ...target.fields,
    created_date: createdDate ?? target.createdDate,
    deleted_date: target.deletedDate,
  };
}

function compareRow(expected: InsuranceRow, row: InsuranceRow, differences: Differences): void {
  const about = { where: `insurance ${row.id}`, between: BETWEEN };
  differences.compareFields(about, Object.keys(expected), [expected, row]);
}

/** Compares every version of the policies of a patient that the run created. */
function comparePolicies(
  record: StagedPatient,
  patient: StoredPatient,
  context: ExportContext,
  differences: Differences,
): void {
  const entries = new Map<number, { entry: LegacyInsurance; isCurrent: boolean }>([
    ...record.insurances.map((entry) => [entry.id, { entry, isCurrent: true }] as const),
    ...record.deleted_insurances.map((entry) => [entry.id, { entry, isCurrent: false }] as const),
  ]);
  const { first_name, last_name, dob } = record;
  const holder = { id: patient.id, practice_id: context.destination.practiceId, first_name, last_name, dob };
  for (const row of patient.insurances) {
    const known = entries.get(row.external_id ?? 0);
    const expected = known && expectedRow({ ...known, row }, context);
    if (!expected) continue;
    const stored = context.versions.get(row.policy_id) ?? [];
    for (const { image_rank, from_version } of context.imageSpans.get(row.policy_id) ?? []) {
      const span: About = { where: `card ${row.rank} ${image_rank}`, between: ["export", "policy"] };
      differences.compareFields(span, ["from_version"], [{ from_version: 1 }, { from_version }]);
    }
    for (const { policy, kind, occurredDate } of importedVersions(holder, expected, patient.cards)) {
      const where = `policy ${policy.id} version ${policy.version}`;
      const found = stored.find(({ version }) => version === policy.version);
      const about: About = { where, between: ["export", "version"] };
      const head = { version: policy.version, kind, occurred_date: occurredDate };
      differences.compareFields(about, Object.keys(head), [head, found ?? {}]);
      if (!found) continue;
      differences.compareFields(about, POLICY_COLUMNS, [policy, found.snapshot]);
      const images: [unknown, unknown] = [places(policy.card_images), places(found.snapshot.card_images)];
      differences.compare(where, "card_images", about.between, images);
    }
  }
}

const IMAGE_FIELDS = ["image_key", "sha256", "content_type", "bytes", "width", "height", "created_date"] as const;

function compareCards(
  record: StagedPatient,
  patient: StoredPatient,
  outcome: Outcome | null,
  differences: Differences,
): void {
  const shown = new Map(patient.cards.map((card) => [`card ${card.rank} ${card.image_rank}`, card]));
  // A card of a rank without a current insurance is only imported together with its patient.
  const current = new Set<number>(record.insurances.map((entry) => toRank(entry.rank)));
  const cards = record.insurance_cards.filter(({ rank }) => outcome?.created || current.has(rank));
  const exported = new Set(cards.flatMap(({ rank, images }) => images.map(({ side }) => `card ${rank} ${side}`)));
  for (const where of exported) differences.compare(where, "image", BETWEEN, [true, shown.has(where)]);
  if (outcome?.created) {
    for (const where of shown.keys()) differences.compare(where, "image", BETWEEN, [exported.has(where), true]);
  }
  for (const place of outcome?.cards ?? []) {
    const where = `card ${place.rank} ${place.side}`;
    const card = shown.get(where);
    const noted = IMAGE_FIELDS.filter((field) => place[field] !== undefined);
    if (card) differences.compareFields({ where, between: BETWEEN }, noted, [place, card]);
  }
}
