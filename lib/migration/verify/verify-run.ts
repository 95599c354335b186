import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { listExternalPatients } from "@/lib/insurance/patients/import-queries";
import { type PatientHistoryEntry, recordedFields } from "@/lib/insurance/patients/rules";
import { DETAIL_DEFAULTS } from "@/lib/insurance/patients/schema";
import type { VersionedPolicy } from "@/lib/insurance/policies/migration-queries";
import { readStaged } from "@/lib/migration/check/check-record";
import { findCompanies } from "@/lib/migration/check/check-run";
import type { FindingRow } from "@/lib/migration/findings/checks";
import {
  compareStores,
  type Difference,
  Differences,
  type Side,
  type StoredPatient,
} from "@/lib/migration/plan/compare-stores";
import { fingerprintOf } from "@/lib/migration/record/record";
import { prepareAhead, refreshRunStatistics } from "@/lib/migration/runs/batches";
import { changeRun, type RunRequest, recordReadiness, startWork, workBatch } from "@/lib/migration/runs/migration-run";
import {
  findLastNumber,
  listFindingsOf,
  listNextStaged,
  listWithHistory,
  type StoredWithHistory,
} from "@/lib/migration/runs/queries";
import type { RunRow, StagedRow, Verification, WorkOptions } from "@/lib/migration/runs/schema";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { groupBy } from "@/lib/platform/objects";
import { imageStore } from "@/lib/platform/storage/image-store";
import { hashImage } from "@/lib/platform/storage/read-image";
import { listPhysiciansForImport } from "@/lib/practice/physicians/queries";
import { compareCreation, compareWithExport, type ExportContext } from "./compare-export";

const BATCH_RECORDS = 100;
/** The approximate number of images to read and compare by hash. */
const SAMPLED_IMAGES = 1_000;

/**
 * Starts the verification of a converted run. It compares both stores field by field, and a sample of the images by hash.
 *
 * @throws ConflictError run_state, practice_at_work
 */
export async function startVerification(request: RunRequest, runId: number): Promise<void> {
  await changeRun(request, runId, "verify", async (tx, run) => {
    const total = await findLastNumber(tx, runId);
    await startWork(tx, run, { state: "verifying", total, origin: request.origin });
  });
}

/** Compares every converted record with the export and between both stores, and stores the result. */
export async function verifyRun(run: RunRow, { signal, onProgress }: WorkOptions): Promise<RunRow> {
  const destination = await findDestination(run);
  const every = await sampleEvery(run.id);
  let state = run;
  let sum: Verification = state.done > 0 && state.verification ? state.verification : NOTHING;
  await refreshRunStatistics(run);
  const where = sql`AND r.state IN ('converted', 'verified', 'different')`;
  const batches = prepareAhead(state.done, async (after) => {
    const next = await listNextStaged(db, run.id, { after, until: run.total, limit: BATCH_RECORDS, where });
    return next && { batch: { ...next, stored: await readStored(run, next.records) }, last: next.last };
  });
  for await (const { batch, last } of batches) {
    if (signal?.aborted) return state;
    const compared = await compareRecords(run, batch, { destination, every });
    sum = compared.reduce(add, sum);
    const total = sum;
    state = await workBatch(state, async (tx) => {
      await storeDifferences(tx, run.id, compared);
      return { done: last, verification: total };
    });
    onProgress?.(state);
  }
  if (signal?.aborted) return state;
  const result = sum;
  return workBatch(state, async (tx) => {
    await recordReadiness(tx, run);
    return { state: "verified", done: state.total, verification: result };
  });
}

const NOTHING: Verification = { records: 0, changed_since: 0, policies: 0, images: 0, images_read: 0, different: 0 };

interface Compared {
  row: StagedRow;
  differences: Difference[];
  counts: Omit<Verification, "records" | "different">;
}

function add(sum: Verification, { differences, counts }: Compared): Verification {
  return {
    records: sum.records + 1,
    changed_since: sum.changed_since + counts.changed_since,
    policies: sum.policies + counts.policies,
    images: sum.images + counts.images,
    images_read: sum.images_read + counts.images_read,
    different: sum.different + (differences.length > 0 ? 1 : 0),
  };
}

async function storeDifferences(tx: Tx, runId: number, compared: readonly Compared[]): Promise<void> {
  const rows = compared.map(({ row: { number }, differences }) => ({
    number,
    differences: differences.length > 0 ? differences : null,
  }));
  await tx.run(sql`
    UPDATE migration_record r SET differences = c.differences,
      state = CASE WHEN c.differences IS NULL THEN 'verified'::record_state ELSE 'different' END
    FROM jsonb_to_recordset(${json(rows)}) AS c(number int, differences jsonb)
    WHERE r.run_id = ${runId} AND r.number = c.number`);
}

/** Returns the mapping of the export's IDs that the conversion used. */
async function findDestination(run: RunRow): Promise<ExportContext["destination"]> {
  const physicians = await listPhysiciansForImport(db, run.practice_id);
  return {
    practiceId: run.practice_id,
    physicians: new Map(physicians.flatMap(({ id, external_id }) => (external_id === null ? [] : [[external_id, id]]))),
    firstPhysician: physicians[0]?.id ?? 0,
    companies: (await findCompanies(run)).byExternalId,
  };
}

/** Returns the interval at which to sample images, so that about SAMPLED_IMAGES are read. */
async function sampleEvery(runId: number): Promise<number> {
  const { images } = await db.one(
    kysely
      .selectFrom("migration_image")
      .select((row) => row.fn.countAll<number>().as("images"))
      .where("run_id", "=", runId),
  );
  return Math.max(1, Math.floor(images / SAMPLED_IMAGES));
}

/** The data that the records of a batch are compared with. */
interface Stored extends StoredWithHistory {
  findings: FindingRow[];
  /** The practice's patients by their IDs in the export. */
  here: Map<number, number>;
}

/** Reads both stores in one snapshot, so that a concurrent change doesn't look like a difference. */
function readStored(run: RunRow, records: readonly StagedRow[]): Promise<Stored> {
  const ids = records.flatMap(({ patient_id }) => patient_id ?? []);
  const created = records.flatMap(({ patient_id, outcome }) => (outcome?.created ? (patient_id ?? []) : []));
  const numbers = records.map(({ number }) => number);
  return transaction(async (tx) => {
    tx.send(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`);
    const [stored, findings, here] = await Promise.all([
      listWithHistory(tx, ids, created),
      listFindingsOf(tx, run.id, numbers),
      findIdsHere(tx, run.practice_id, records),
    ]);
    return { ...stored, findings, here };
  });
}

async function compareRecords(
  run: RunRow,
  { records, stored }: { records: readonly StagedRow[]; stored: Stored },
  { destination, every }: { destination: ExportContext["destination"]; every: number },
): Promise<Compared[]> {
  const compared: Compared[] = [];
  const findingsOf = groupBy(stored.findings, ({ number }) => number);
  for (const row of records) {
    const patient = stored.patients.get(row.patient_id ?? 0);
    const counts = { changed_since: 0, policies: 0, images: 0, images_read: 0 };
    if (!patient) {
      const differences: Difference[] = [
        { where: "patient", field: "id", between: ["export", "legacy"], values: [row.external_id, null] },
      ];
      compared.push({ row, differences, counts });
      continue;
    }
    const isChanged = hasChanged(row, patient);
    const history = stored.history.get(patient.id) ?? [];
    const differences = [
      ...compareStores(patient),
      ...comparePatientHistory(patient, { patient: history, counts: stored.counts }),
    ];
    if (run.source === "file") {
      const { outcome } = row;
      const { versions, imageSpans } = stored;
      const context = { destination, outcome, history, versions, imageSpans };
      const findings = findingsOf.get(row.number) ?? [];
      differences.push(...compareRecord(run, { row, patient, isChanged, findings }, stored.here, context));
    }
    const images = await readImages(patient, every);
    differences.push(...images.differences);
    Object.assign(counts, { changed_since: isChanged ? 1 : 0, policies: patient.policies.length });
    Object.assign(counts, { images: images.images, images_read: images.read });
    compared.push({ row, differences: unique(differences), counts });
  }
  return compared;
}

/** A record and the patient it was converted to. */
interface StoredRecord {
  row: StagedRow;
  patient: StoredPatient;
  isChanged: boolean;
  findings: readonly FindingRow[];
}

/** Compares a stored patient with its record in the export. */
function compareRecord(
  run: RunRow,
  { row, patient, isChanged, findings }: StoredRecord,
  here: Stored["here"],
  context: ExportContext,
): Difference[] {
  const id = here.get(Number(row.external_id)) ?? null;
  const between: Difference["between"] = ["export", "legacy"];
  const isHere = id === patient.id;
  const differences: Difference[] = isHere
    ? []
    : [{ where: "patient", field: "id", between, values: [row.external_id, id] }];
  if (row.raw !== null && fingerprintOf(row.raw) !== row.fingerprint) {
    differences.push({ where: "record", field: "fingerprint", between, values: [row.fingerprint, null] });
  }
  const read = readStaged(row, findings, { asOf: run.as_of, now: new Date() });
  if (!("patient" in read)) {
    return [...differences, { where: "record", field: "record", between, values: [read.reason, null] }];
  }
  const { leftOut } = read;
  if (!isChanged) return [...differences, ...compareWithExport(read.patient, patient, { ...context, leftOut })];
  if (row.outcome?.created) differences.push(...compareCreation(read.patient, patient, context));
  return differences;
}

/** Returns the practice's patients by the export's ids. */
async function findIdsHere(read: Db, practiceId: number, records: readonly StagedRow[]): Promise<Map<number, number>> {
  const ids = records.map(({ external_id }) => Number(external_id));
  const patients = await listExternalPatients(read, practiceId, ids);
  return new Map(patients.map(({ external_id, id }) => [external_id, id]));
}

/** The versions of a patient and its policies. */
interface Versions {
  version: number;
  policies: readonly { id: number; latest: VersionedPolicy["latest"] }[];
}

/** Returns whether the patient was edited since the run, by comparing versions. */
export function hasChanged({ outcome }: Pick<StagedRow, "outcome">, patient: Versions): boolean {
  if (!outcome) return patient.policies.some(({ latest }) => latest?.source !== "migration");
  const versions = new Map(outcome.policies.map(({ id, version }) => [id, version]));
  const later = patient.policies.some(({ id, latest }) => (latest?.version ?? 0) > (versions.get(id) ?? 0));
  return later || patient.version > outcome.version;
}

/** Compares images in the store with their records. */
async function readImages(patient: StoredPatient, every: number) {
  const keys = new Map<string, string>();
  for (const { card_images } of patient.policies)
    for (const { image_key, sha256 } of card_images) keys.set(image_key, sha256);
  for (const { image_key, sha256 } of patient.cards) if (!keys.has(image_key)) keys.set(image_key, sha256);
  const sampled = [...keys].filter(([key]) => Number.parseInt(key.slice(0, 6), 16) % every === 0);
  const differences: Difference[] = [];
  for (const [key, sha256] of sampled) {
    const stored = await hashStoredImage(key);
    if (stored !== sha256) {
      differences.push({
        where: `image ${key}`,
        field: "sha256",
        between: ["policy", "store"],
        values: [sha256, stored],
      });
    }
  }
  return { images: keys.size, read: sampled.length, differences };
}

async function hashStoredImage(key: string): Promise<string | null> {
  const content = await imageStore().get(key);
  return content && hashImage(content);
}

function unique(differences: readonly Difference[]): Difference[] {
  return [...new Map(differences.map((one) => [JSON.stringify(one), one])).values()];
}

const BETWEEN: [Side, Side] = ["version", "legacy"];
const ABOUT = { where: "patient", between: BETWEEN };

/** The history of a patient and of its policies, apart from their latest versions. */
export interface StoredHistory {
  /** Versions of the patient, oldest first. */
  patient: readonly PatientHistoryEntry[];
  /** The number of versions per policy. */
  counts: ReadonlyMap<number, number>;
}

/**
 * Compares a patient with its history. Every write of the application appends a version, so a field that differs from
 * its last recorded value was changed outside the application. Fields that no version mentions are not compared.
 */
export function comparePatientHistory(patient: StoredPatient, history: StoredHistory): Difference[] {
  const differences = new Differences();
  compareDemographics(patient, history.patient, differences);
  for (const { id, version } of patient.policies) {
    const where = `policy ${id}`;
    differences.compare(where, "versions", ["version", "policy"], [history.counts.get(id) ?? 0, version]);
  }
  compareCardTimes(patient, differences);
  return differences.found;
}

function compareDemographics(
  patient: StoredPatient,
  history: readonly PatientHistoryEntry[],
  differences: Differences,
): void {
  const [first, last] = [history[0], history.at(-1)];
  // Patients created before versions existed have none until they change.
  if (!first || !last) return;
  differences.compare("patient", "version", BETWEEN, [last.version, patient.version]);
  differences.compare("patient", "versions", BETWEEN, [last.version - first.version + 1, history.length]);
  differences.compare("patient", "last_modified", BETWEEN, [last.occurred_date, patient.last_modified]);
  const recorded = recordedFields(history);
  const { details } = patient;
  for (const [field, value] of recorded) {
    if (field === "details" || field === "deleted_date") continue;
    const present: unknown = Reflect.get(field in patient ? patient : details, field);
    // The first version records phones as sent, later versions as stored.
    const form = field === "phones" ? numbersOf : (one: unknown) => one ?? DETAIL_DEFAULTS[field];
    differences.compareParts(ABOUT, field, [form(value), form(present)]);
  }
  differences.compare("patient", "deleted_date", BETWEEN, [recorded.get("deleted_date"), patient.deleted_date]);
  for (const [at, { phone, digits }] of patient.phones.entries()) {
    differences.compare("patient", `phones[${at}].digits`, BETWEEN, [phone.replace(/\D/g, ""), digits]);
  }
}

function numbersOf(phones: unknown): unknown {
  if (!Array.isArray(phones)) return phones;
  return phones.map(({ phone, phone_type }) => ({ phone, phone_type }));
}

/** Compares the creation times of card images, which must be the same in both stores. */
function compareCardTimes({ cards, policies }: StoredPatient, differences: Differences): void {
  const latest = new Map(policies.flatMap(({ card_images }) => card_images.map((image) => [image.image_key, image])));
  for (const { rank, image_rank, image_key, created_date } of cards) {
    const image: PlacedImage | undefined = latest.get(image_key);
    if (!image) continue;
    const where = `card ${rank} ${image_rank}`;
    differences.compare(where, "created_date", ["legacy", "policy"], [created_date, image.created_date]);
  }
}
