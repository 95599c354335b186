import { isoNow } from "@/lib/clock";
import { chunks } from "@/lib/db/chunks";
import { insertInto } from "@/lib/db/insert";
import { type Db, db, join, sql } from "@/lib/db/sql";
import type { Tx } from "@/lib/db/transaction";
import { ValidationError } from "@/lib/errors";
import { decodeBase64 } from "@/lib/storage/process-image";
import { findUnstorable } from "../rules/read-record";
import { type StagedRecord, stageRecord } from "../rules/staged-record";
import type { RunRow } from "../schema/run";
import { problemOfImage } from "./check-file";
import { workBatch } from "./migration-run";
import { type ReadRecord, readRecords } from "./read-records";
import type { Source } from "./source";

const BATCH_RECORDS = 200;
const BATCH_BYTES = 8 * 1024 * 1024;

/** A record on its way into a run. */
export type Staged = { number: number; line: number; refusal: string | null; record: StagedRecord | null };

/**
 * Reads the file of a run, record by record, into the run: card images beside the records they belong to. A reading that was
 * cut short goes on after the last record that is there.
 *
 * @throws BusinessRuleError columns_unknown: a CSV file whose headings do not tell what its columns are
 * @throws RunInterrupted
 */
export async function readRun(
  run: RunRow,
  source: Source,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: ((run: RunRow) => void) | undefined },
): Promise<RunRow> {
  let state = run;
  let batch: Staged[] = [];
  let bytes = 0;
  let number = 0;
  const staged = await countStaged(run.id);
  const flush = async (bytesRead: number) => {
    const records = batch;
    state = await workBatch(state, async (tx) => {
      await insertRecords(tx, run.id, records);
      return { done: bytesRead };
    });
    batch = [];
    bytes = 0;
    onProgress?.(state);
  };
  let position = run.done;
  for await (const read of readRecords(source, { columns: run.columns ?? undefined })) {
    number++;
    if (number <= staged) continue;
    if (signal?.aborted) return state;
    // A place never goes back: records of one page share theirs.
    position = Math.max(position, read.bytesRead);
    const entry = await stage(read, number);
    batch.push(entry);
    bytes += sizeOf(entry);
    if (batch.length >= BATCH_RECORDS || bytes >= BATCH_BYTES) await flush(position);
  }
  if (batch.length > 0) await flush(position);
  return workBatch(state, async (tx) => {
    await noteReusedIds(tx, run.id);
    if (run.follows !== null) await takeOverDecisions(tx, run.id, run.follows);
    return { state: "checking", done: 0, total: number };
  });
}

async function stage(read: ReadRecord, number: number): Promise<Staged> {
  if ("reason" in read) return { number, line: read.number, refusal: read.reason, record: null };
  const record = await stageRecord(read.record, readImage);
  return { number, line: read.number, refusal: findUnstorable(withoutImages(read.record)), record };
}

const withoutImages = ({ insurance_cards: _cards, ...rest }: Record<string, unknown>) => rest;

async function readImage(base64: unknown): Promise<{ bytes: Uint8Array | null; problem: string | null }> {
  const problem = await problemOfImage(base64);
  if (problem !== null || typeof base64 !== "string") return { bytes: null, problem };
  try {
    return { bytes: decodeBase64(base64, "base64_content"), problem: null };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return { bytes: null, problem: "an image is no base64." };
  }
}

const sizeOf = ({ record }: Staged) =>
  record ? 2_000 + record.images.reduce((sum, { bytes }) => sum + bytes.length, 0) : 100;

async function countStaged(runId: number): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`SELECT coalesce(max(number), 0) AS count FROM migration_record WHERE run_id = ${runId}`,
  );
  return row?.count ?? 0;
}

/** Keeps records that were read. */
export async function insertRecords(tx: Tx, runId: number, staged: readonly Staged[]): Promise<void> {
  const rows = staged.map(({ number, line, refusal, record }) => {
    const { raw = null, fingerprint = null, externalId = null, person = null } = record ?? {};
    return {
      ...{ run_id: runId, number, line, raw, refusal, fingerprint, external_id: externalId, person },
      ...{ insurance_ids: record?.insuranceIds ?? [], past_ids: record?.pastIds ?? [] },
    };
  });
  for (const part of chunks(rows, 500)) await tx.run(insertInto("migration_record", part));
  const images = staged.flatMap(({ number, record }) =>
    (record?.images ?? []).map(
      ({ rank, side, sha256, bytes }) => sql`(${runId}, ${number}, ${rank}, ${side}, ${sha256}, ${Buffer.from(bytes)})`,
    ),
  );
  for (const part of chunks(images, 20)) {
    await tx.run(sql`INSERT INTO migration_image (run_id, number, rank, side, sha256, bytes) VALUES ${join(part)}`);
  }
}

/**
 * What people decided on the export that this one corrects holds for those records that are the same in both. The run that is
 * followed is given up: two would stand for the same records.
 */
async function takeOverDecisions(tx: Db, runId: number, follows: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO migration_finding (run_id, number, patient, insurance, position, code, severity, field, found, message, fix,
      decision, reason, decided_by, decided_date, owner_id, due_date, note)
    SELECT ${runId}, r.number, f.patient, f.insurance, f.position, f.code, f.severity, f.field, f.found, f.message, f.fix,
      f.decision, f.reason, f.decided_by, f.decided_date, f.owner_id, f.due_date, f.note
    FROM migration_finding f
      JOIN migration_record b ON b.run_id = f.run_id AND b.number = f.number
      JOIN migration_record r ON r.run_id = ${runId} AND r.external_id = b.external_id AND r.fingerprint = b.fingerprint
    WHERE f.run_id = ${follows}
      AND (f.decision <> 'open' OR f.owner_id IS NOT NULL OR f.due_date IS NOT NULL OR f.note IS NOT NULL)
    ORDER BY f.id`);
  await tx.run(sql`
    UPDATE migration_run SET state = 'cancelled', stopped_in = state, changed_date = ${isoNow()}
    WHERE id = ${follows} AND state = 'checked'`);
}

/** Ids that stand on several insurances, told once the whole file is read. */
export async function noteReusedIds(tx: Db, runId: number): Promise<void> {
  await tx.run(sql`
    INSERT INTO migration_reused_id (run_id, insurance, is_current, first_number)
    SELECT ${runId}, insurance, count(*) FILTER (WHERE is_current) > 1, min(number) FROM (
      SELECT unnest(insurance_ids) AS insurance, TRUE AS is_current, number FROM migration_record WHERE run_id = ${runId}
      UNION ALL
      SELECT unnest(past_ids), FALSE, number FROM migration_record WHERE run_id = ${runId}) ids
    GROUP BY insurance HAVING count(*) > 1
    ON CONFLICT DO NOTHING`);
}
