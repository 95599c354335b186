import { db, json, sql } from "@/lib/db/sql";
import type { Tx } from "@/lib/db/transaction";
import { listPatientsFromElsewhere } from "@/lib/patients/import-queries";
import { imageStore } from "@/lib/storage/image-store";
import { hashOf } from "@/lib/storage/read-image";
import { readStaged } from "../rules/check-record";
import { compareStores, compareWithExport, type Difference, type StoredPatient } from "../rules/compare-sides";
import { listBothSides, listFindingsOf, listStaged } from "../run-queries";
import type { RunRow, StagedRow, Verification } from "../schema/run";
import { type CompanyKnowledge, findCompanies } from "./check-run";
import { changeRun, type RunRequest, startWork, workBatch } from "./migration-run";
import { noteReadiness } from "./readiness";
import type { WorkOptions } from "./work-run";

const BATCH_RECORDS = 100;
/** About so many images are read whole and their hashes compared; of fewer, each. */
const SAMPLED_IMAGES = 1_000;

/**
 * Has a converted run verified: both sides of every patient, field by field, and a sample of the images by their hashes.
 *
 * @throws ConflictError run_state, practice_at_work
 */
export async function startVerification(request: RunRequest, runId: number): Promise<void> {
  await changeRun(request, runId, "verify", async (tx, run) => {
    const records = await tx.first<{ total: number }>(
      sql`SELECT coalesce(max(number), 0) AS total FROM migration_record WHERE run_id = ${runId}`,
    );
    await startWork(tx, run, { state: "verifying", total: records?.total ?? 0, origin: request.origin });
  });
}

/** Compares what is stored of every converted record with the export and with each other; the result is kept. */
export async function verifyRun(run: RunRow, { signal, onProgress }: WorkOptions): Promise<RunRow> {
  const companies = await findCompanies(run);
  const every = await sampleEvery(run.id);
  let state = run;
  let sum: Verification = state.done > 0 && state.verification ? state.verification : NOTHING;
  for (;;) {
    if (signal?.aborted) return state;
    const converted = sql`AND r.state IN ('converted', 'verified', 'different')`;
    const records = await listStaged(db, run.id, { after: state.done, limit: BATCH_RECORDS, where: converted });
    const last = records.at(-1)?.number;
    if (last === undefined) break;
    const compared = await compareRecords(run, records, { companies, every });
    sum = compared.reduce(add, sum);
    const total = sum;
    state = await workBatch(state, async (tx) => {
      await noteVerified(tx, run.id, compared);
      return { done: last, verification: total };
    });
    onProgress?.(state);
  }
  const result = sum;
  return workBatch(state, async (tx) => {
    await noteReadiness(tx, run);
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

async function noteVerified(tx: Tx, runId: number, compared: readonly Compared[]): Promise<void> {
  const rows = compared.map(({ row: { number }, differences }) => ({
    ...{ number, differences: differences.length > 0 ? differences : null },
  }));
  await tx.run(sql`
    UPDATE migration_record r SET differences = c.differences,
      state = CASE WHEN c.differences IS NULL THEN 'verified' ELSE 'different' END
    FROM jsonb_to_recordset(${json(rows)}) AS c(number int, differences jsonb)
    WHERE r.run_id = ${runId} AND r.number = c.number`);
}

/** One in how many images is read, so that about SAMPLED_IMAGES are. */
async function sampleEvery(runId: number): Promise<number> {
  const row = await db.first<{ images: number }>(
    sql`SELECT count(*) AS images FROM migration_image WHERE run_id = ${runId}`,
  );
  return Math.max(1, Math.floor((row?.images ?? 0) / SAMPLED_IMAGES));
}

async function compareRecords(
  run: RunRow,
  records: readonly StagedRow[],
  { companies, every }: { companies: CompanyKnowledge; every: number },
): Promise<Compared[]> {
  const ids = records.flatMap(({ patient_id }) => (patient_id === null ? [] : [patient_id]));
  const patients = new Map((await listBothSides(db, ids)).map((patient) => [patient.id, patient]));
  const fixes = await listFindingsOf(
    db,
    run.id,
    records.map(({ number }) => number),
  );
  const here = await findIdsHere(run.practice_id, records);
  const compared: Compared[] = [];
  for (const row of records) {
    const patient = patients.get(row.patient_id ?? 0);
    if (!patient) {
      const missing: Difference = {
        where: "patient",
        field: "id",
        between: ["export", "legacy"],
        values: [row.external_id, null],
      };
      compared.push({
        row,
        differences: [missing],
        counts: { changed_since: 0, policies: 0, images: 0, images_read: 0 },
      });
      continue;
    }
    const isChanged = hasChanged(row, patient);
    const read = readStaged(
      row,
      fixes.filter(({ number }) => number === row.number),
      { asOf: run.as_of, now: new Date() },
    );
    const differences = compareStores(patient);
    const { external_id: id } = row;
    const idHere = here.get(Number(id)) ?? null;
    const isOwn = run.source === "practice";
    if (!isOwn && idHere !== patient.id)
      differences.push({ where: "patient", field: "id", between: ["export", "legacy"], values: [id, idHere] });
    if (!isOwn && !isChanged && "patient" in read) {
      differences.push(
        ...compareWithExport(read.patient, patient, { companies: companies.byExternalId, outcome: row.outcome }),
      );
    }
    const images = await readImages(patient, every);
    differences.push(...images.differences);
    const counts = {
      changed_since: isChanged ? 1 : 0,
      policies: patient.policies.length,
      images: images.images,
      images_read: images.read,
    };
    compared.push({ row, differences: unique(differences), counts });
  }
  return compared;
}

/** Which patients the practice has under the export's ids. */
async function findIdsHere(practiceId: number, records: readonly StagedRow[]): Promise<Map<number, number>> {
  const ids = records.map(({ external_id }) => Number(external_id));
  const patients = await listPatientsFromElsewhere(db, practiceId, ids);
  return new Map(patients.map(({ external_id, id }) => [external_id, id]));
}

/** Whether somebody has written on the patient since the run did, by the versions: they hold more than the export says. */
export function hasChanged(
  { outcome }: Pick<StagedRow, "outcome">,
  patient: Pick<StoredPatient, "version" | "policies">,
): boolean {
  if (!outcome) return patient.policies.some(({ latest }) => latest?.source !== "migration");
  const versions = new Map(outcome.policies.map(({ id, version }) => [id, version]));
  const later = patient.policies.some(({ id, latest }) => (latest?.version ?? 0) > (versions.get(id) ?? 0));
  return later || patient.version > outcome.version;
}

/** Whether the images in the store are those the records tell of. */
async function readImages(patient: StoredPatient, every: number) {
  const keys = new Map<string, string>();
  for (const { card_images } of patient.policies)
    for (const { image_key, sha256 } of card_images) keys.set(image_key, sha256);
  for (const { image_key, sha256 } of patient.cards) if (!keys.has(image_key)) keys.set(image_key, sha256);
  const sampled = [...keys].filter(([key]) => Number.parseInt(key.slice(0, 6), 16) % every === 0);
  const differences: Difference[] = [];
  for (const [key, sha256] of sampled) {
    const stored = await hashOfStored(key);
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

async function hashOfStored(key: string): Promise<string | null> {
  const content = await imageStore().get(key);
  return content && hashOf(content);
}

function unique(differences: readonly Difference[]): Difference[] {
  return [...new Map(differences.map((one) => [JSON.stringify(one), one])).values()];
}
