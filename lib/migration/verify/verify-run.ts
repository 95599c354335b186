import { setImmediate, setTimeout } from "node:timers/promises";
import { listExternalPatients } from "@/lib/insurance/patients/import-queries";
import type { VersionedPolicy } from "@/lib/insurance/policies/migration-queries";
import { readStaged } from "@/lib/migration/check/check-record";
import { findCompanies } from "@/lib/migration/check/check-run";
import type { FindingRow } from "@/lib/migration/findings/checks";
import { compareStores, type Difference, type StoredPatient } from "@/lib/migration/plan/compare-stores";
import { fingerprintOf } from "@/lib/migration/record/raw-record";
import { prepareAhead, thenAhead, writeOverlapping } from "@/lib/migration/runs/batches";
import { changeRun, type RunRequest, startWork, workBatch } from "@/lib/migration/runs/migration-run";
import { findLastNumber, listFindingsOf, listWithHistory, type StoredWithHistory } from "@/lib/migration/runs/queries";
import { recordCounts } from "@/lib/migration/runs/run-groups";
import type { RunRow, StagedRow, Verification, WorkOptions } from "@/lib/migration/runs/schema";
import { listNextStaged } from "@/lib/migration/runs/staged-records";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, json, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { OverloadedError } from "@/lib/platform/errors";
import { groupBy } from "@/lib/platform/objects";
import { imageStore } from "@/lib/platform/storage/image-store";
import { hashImage } from "@/lib/platform/storage/read-image";
import { logStoreFailure } from "@/lib/platform/storage/store-failure";
import { listPhysiciansForImport } from "@/lib/practice/physicians/queries";
import { compareCreation, compareWithExport, type ExportContext } from "./compare-export";
import { comparePatientHistory } from "./compare-history";
import { hasNotedRows, isAsNoted, listHashes, VERIFIED_COLUMNS, type VerifiedRow } from "./noted-rows";

const BATCH_RECORDS = 200;
const MAX_TURN_MS = 20;
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
export async function verifyRun(run: RunRow, options: WorkOptions): Promise<RunRow> {
  const destination = await findDestination(run);
  const every = await sampleEvery(run.id);
  let sum: Verification = run.done > 0 && run.verification ? run.verification : NOTHING;
  const where = sql`AND r.state IN ('converted', 'verified', 'different')`;
  const read = prepareAhead(run.done, async (after) => {
    const page = { after, until: run.total, limit: BATCH_RECORDS, where };
    const next = await listNextStaged(db, run.id, page, VERIFIED_COLUMNS);
    return next && { batch: next.records, last: next.last };
  });
  const stored = thenAhead(read, (records) => readBatch(run, records));
  const batches = thenAhead(stored, (batch) => compareBatch(run, batch, { destination, every }));
  const state = await writeOverlapping(
    run,
    batches,
    async (previous, { batch: compared, last }) => {
      sum = compared.reduce(add, sum);
      const total = sum;
      const writing = workBatch(previous, async (tx) => {
        await storeDifferences(tx, run.id, compared);
        return { done: last, verification: total };
      });
      return { writing };
    },
    options,
  );
  if (options.signal?.aborted) return state;
  return workBatch(state, async (tx) => {
    await recordCounts(tx, state);
    return { state: "verified", done: state.total, verification: sum };
  });
}

const NOTHING: Verification = { records: 0, changed_since: 0, policies: 0, images: 0, images_read: 0, different: 0 };

interface Compared {
  row: VerifiedRow;
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
  const rows = compared.flatMap(({ row: { number }, differences }) =>
    differences.length > 0 ? [{ number, differences }] : [],
  );
  const numbers = compared.flatMap(({ row: { number }, differences }) => (differences.length > 0 ? [] : [number]));
  tx.send(sql`
    UPDATE migration_record SET differences = NULL, state = 'verified'
    WHERE run_id = ${runId} AND number = ANY(${numbers}::int[])`);
  if (rows.length === 0) return;
  tx.send(sql`
    UPDATE migration_record r SET differences = c.differences, state = 'different'
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

/** Records with the data that they are compared with. */
interface Batch {
  records: readonly VerifiedRow[];
  findings: Map<number, FindingRow[]>;
  /** Current hashes of the patients for which the conversion stored one. */
  hashes: Map<number, string>;
  /** The other patients. */
  stored: Stored;
}

/** The patients of records in both stores. */
interface Stored extends StoredWithHistory {
  /** The practice's patients by their IDs in the export. */
  here: Map<number, number>;
}

const NOTHING_STORED: Stored = {
  patients: new Map(),
  history: new Map(),
  counts: new Map(),
  versions: new Map(),
  imageSpans: new Map(),
  here: new Map(),
};

/** Reads in one snapshot, so that a concurrent change doesn't look like a difference. */
function snapshot<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(async (tx) => {
    tx.send(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`);
    return read(tx);
  });
}

function readBatch(run: RunRow, records: readonly VerifiedRow[]): Promise<Batch> {
  const numbers = records.map(({ number }) => number);
  return snapshot(async (tx) => {
    const [hashes, findings, stored] = await Promise.all([
      listHashes(tx, records),
      listFindingsOf(tx, run.id, numbers),
      readStored(
        tx,
        run,
        records.filter((row) => !hasNotedRows(row)),
      ),
    ]);
    return { records, hashes, findings: groupBy(findings, ({ number }) => number), stored };
  });
}

/** Reads both stores. */
async function readStored(tx: Tx, run: RunRow, records: readonly VerifiedRow[]): Promise<Stored> {
  if (records.length === 0) return NOTHING_STORED;
  const ids = records.flatMap(({ patient_id }) => patient_id ?? []);
  const created = records.flatMap(({ patient_id, outcome }) => (outcome?.created ? (patient_id ?? []) : []));
  const [stored, here] = await Promise.all([
    listWithHistory(tx, ids, created),
    findIdsHere(tx, run.practice_id, records),
  ]);
  return { ...stored, here };
}

/**
 * Compares the records of a batch. Most patients that the run created still match their hashes. Only the others are read in full
 * and compared field by field.
 */
async function compareBatch(run: RunRow, batch: Batch, context: CompareContext): Promise<Compared[]> {
  const { findings, hashes } = batch;
  const same: Compared[] = [];
  const changed: VerifiedRow[] = [];
  let lastPause = performance.now();
  for (const row of batch.records.filter(hasNotedRows)) {
    // Let other requests run in between.
    if (performance.now() - lastPause > MAX_TURN_MS) {
      await setImmediate();
      lastPause = performance.now();
    }
    const hash = hashes.get(row.patient_id ?? 0);
    if (!isAsNoted(row, hash, findings.get(row.number) ?? [])) changed.push(row);
    else same.push({ row, differences: [], counts: { ...UNCOUNTED, policies: row.outcome?.policies.length ?? 0 } });
  }
  const others = batch.records.filter((row) => !hasNotedRows(row));
  const compared = await compareRecords(run, { records: others, stored: batch.stored, findings }, context);
  if (changed.length === 0) return [...same, ...compared];
  const stored = await snapshot((tx) => readStored(tx, run, changed));
  return [...same, ...compared, ...(await compareRecords(run, { records: changed, stored, findings }, context))];
}

interface CompareContext {
  destination: ExportContext["destination"];
  /** The interval at which images are read. */
  every: number;
}

const UNCOUNTED = { changed_since: 0, policies: 0, images: 0, images_read: 0 };

async function compareRecords(
  run: RunRow,
  { records, stored, findings: findingsOf }: Pick<Batch, "records" | "stored" | "findings">,
  { destination, every }: CompareContext,
): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const row of records) {
    const patient = stored.patients.get(row.patient_id ?? 0);
    const counts = { ...UNCOUNTED };
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
  row: VerifiedRow;
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
async function findIdsHere(
  read: Db,
  practiceId: number,
  records: readonly VerifiedRow[],
): Promise<Map<number, number>> {
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

/** The pauses before an image is read again, because a store that is throttled rejects some requests. */
const READ_PAUSES_MS = [1_000, 4_000];
const UNREADABLE = "can't be read";

/**
 * Returns the hash of a stored image, or null if the image is missing. If several attempts to read an image fail, it counts as a difference:
 * the disk may be damaged, or the permissions wrong, and waiting would not help.
 *
 * @throws OverloadedError if the store as a whole doesn't respond: the run waits for it
 */
async function hashStoredImage(key: string): Promise<string | null> {
  for (const pause of [0, ...READ_PAUSES_MS]) {
    if (pause > 0) await setTimeout(pause);
    try {
      const content = await imageStore().get(key);
      return content && hashImage(content);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
      await imageStore().check();
      logStoreFailure(error, {});
    }
  }
  return UNREADABLE;
}

function unique(differences: readonly Difference[]): Difference[] {
  return [...new Map(differences.map((one) => [JSON.stringify(one), one])).values()];
}
