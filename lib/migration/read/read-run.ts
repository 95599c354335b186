import { readApart } from "@/lib/migration/read/read-apart";
import { refreshRunStatistics } from "@/lib/migration/runs/batches";
import { storeCorrectedIds, storeReusedIds } from "@/lib/migration/runs/insurance-ids";
import { workBatch } from "@/lib/migration/runs/migration-run";
import { findLastNumber, listFindingsOf } from "@/lib/migration/runs/queries";
import type { RunRow } from "@/lib/migration/runs/schema";
import { isoNow } from "@/lib/platform/clock";
import { kysely } from "@/lib/platform/db/kysely";
import { chunks, type Db, db, insertInto, type Sql, sql } from "@/lib/platform/db/sql";
import type { Tx } from "@/lib/platform/db/transaction";
import type { Source } from "@/lib/platform/files/source";
import { groupBy } from "@/lib/platform/objects";
import type { Staged } from "./stage-records";

/**
 * Reads the file of a run and stores its records and card images. A separate thread reads the file (ADR 0140). Interrupted
 * reading resumes after the last stored record.
 *
 * @throws BusinessRuleError if the file as a whole can't be read, such as columns_unknown
 * @throws RunInterrupted if the run was cancelled in the meantime
 */
export async function readRun(
  run: RunRow,
  source: Source,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: ((run: RunRow) => void) | undefined },
): Promise<RunRow> {
  let state = run;
  const staged = await findLastNumber(db, run.id);
  let number = staged;
  for await (const batch of readApart(source, { columns: run.columns ?? undefined, skip: staged, signal })) {
    if (signal?.aborted) return state;
    state = await workBatch(state, async (tx) => {
      await insertRecords(tx, run.id, batch.records);
      // The position never decreases: records of one page share theirs.
      return { done: Math.max(state.done, Math.min(batch.bytesRead, run.source_size)) };
    });
    number = batch.records.at(-1)?.number ?? number;
    onProgress?.(state);
  }
  if (signal?.aborted) return state;
  await refreshRunStatistics({ ...run, total: number });
  return workBatch(state, async (tx) => {
    await storeNeighbors(tx, run.id);
    if (run.follows !== null) await copyDecisions(tx, run.id, run.follows);
    return { state: "checking", done: 0, total: number };
  });
}

/** Stores the records of a batch. */
export async function insertRecords(tx: Tx, runId: number, staged: readonly Staged[]): Promise<void> {
  const rows = staged.map(({ number, line, refusal, faults = null, record }) => {
    // Without spreads, which leave a kilobyte per record to the garbage collector.
    return {
      run_id: runId,
      number,
      line,
      raw: record?.raw ?? null,
      exact: record?.exact ?? null,
      refusal,
      faults,
      fingerprint: record?.fingerprint ?? null,
      external_id: record?.externalId ?? null,
      person: record?.person ?? null,
      insurance_ids: record?.insuranceIds ?? [],
      past_ids: record?.pastIds ?? [],
    };
  });
  for (const part of chunks(rows, 500)) await tx.run(insertInto("migration_record", part));
  const images = staged.flatMap(({ number, record }) =>
    (record?.images ?? []).map(({ rank, side, sha256, bytes }) => {
      return { run_id: runId, number, rank, side, sha256, bytes: Buffer.from(bytes) };
    }),
  );
  for (const part of chunks(images, 20)) await tx.run(kysely.insertInto("migration_image").values(part));
}

/**
 * Copies the decisions of the run that this one corrects, for records that are the same in both, and corrections of values that
 * are still there. Cancels that run, because this one replaces it.
 */
async function copyDecisions(tx: Db, runId: number, follows: number): Promise<void> {
  await tx.run(sql`
    ${insertFindings(runId, sql`f.position`)}
    FROM migration_finding f
      JOIN migration_record b ON b.run_id = f.run_id AND b.number = f.number
      JOIN migration_record r ON r.run_id = ${runId} AND r.external_id = b.external_id AND r.fingerprint = b.fingerprint
    WHERE f.run_id = ${follows}
      AND (f.decision <> 'open' OR f.owner_id IS NOT NULL OR f.due_date IS NOT NULL OR f.note IS NOT NULL)
    ORDER BY f.id`);
  await copyCorrections(tx, runId, follows);
  await storeCopiedIds(tx, runId);
  await tx.run(
    kysely
      .updateTable("migration_run")
      .set({ state: "cancelled", stopped_in: "checked", changed_date: isoNow() })
      .where("id", "=", follows)
      .where("state", "=", "checked"),
  );
}

/** Begins a statement that copies findings `f` to records `r` of a run. */
const insertFindings = (runId: number, position: Sql) => sql`
  INSERT INTO migration_finding (run_id, number, patient, insurance, list, position, code, severity, field, found, message,
    fix, decision, reason, decided_by, decided_date, owner_id, due_date, note)
  SELECT ${runId}, r.number, f.patient, f.insurance, f.list, ${position}, f.code, f.severity, f.field, f.found, f.message, f.fix,
    f.decision, f.reason, f.decided_by, f.decided_date, f.owner_id, f.due_date, f.note`;

/** The patient or insurance that a finding `f` is about, in record `b` of the earlier run. */
const OWNER_BEFORE = sql`CASE WHEN f.list IS NULL THEN b.raw ELSE b.raw->f.list->f.position END`;

/**
 * Copies corrections to changed records if the same patient or insurance still has the values that they replace. Insurances that share
 * their ID get none.
 */
async function copyCorrections(tx: Db, runId: number, follows: number): Promise<void> {
  await tx.run(sql`
    ${insertFindings(runId, sql`o.position`)}
    FROM migration_finding f
      JOIN migration_record b ON b.run_id = f.run_id AND b.number = f.number
      JOIN migration_record r ON r.run_id = ${runId} AND r.external_id = b.external_id AND r.fingerprint <> b.fingerprint
      CROSS JOIN LATERAL (
        SELECT NULL::int AS position, r.raw AS owner WHERE f.list IS NULL
        UNION ALL
        SELECT e.at::int - 1, e.entry FROM (
          SELECT entry, at, count(*) OVER (PARTITION BY entry->'id') AS same_id FROM jsonb_array_elements(
            CASE jsonb_typeof(r.raw->f.list) WHEN 'array' THEN r.raw->f.list ELSE '[]' END) WITH ORDINALITY l(entry, at)) e
        WHERE e.same_id = 1 AND e.entry->'id' = (${OWNER_BEFORE})->'id') o
    WHERE f.run_id = ${follows} AND f.decision = 'accepted' AND f.fix->'corrected' IS NOT NULL
      AND NOT EXISTS (SELECT FROM jsonb_object_keys(f.fix->'values') v(field)
        WHERE (${OWNER_BEFORE})->v.field IS DISTINCT FROM o.owner->v.field)
    ORDER BY f.id`);
}

/** Stores the IDs of insurances with the corrections that were copied. */
async function storeCopiedIds(tx: Db, runId: number): Promise<void> {
  const rows = await tx.rows<{ number: number }>(sql`
    SELECT DISTINCT number FROM migration_finding
    WHERE run_id = ${runId} AND decision = 'accepted' AND list IS NOT NULL AND fix->'values'->'id' IS NOT NULL`);
  const numbers = rows.map(({ number }) => number);
  const findings = await listFindingsOf(tx, runId, numbers);
  await storeCorrectedIds(
    tx,
    runId,
    groupBy(findings, ({ number }) => number),
  );
}

/**
 * Stores what records of a run share with others, so that checks need not look for it: the IDs of several insurances, and the records whose
 * patient ID or person an earlier one has. Call it when all records are stored.
 */
export async function storeNeighbors(tx: Db, runId: number): Promise<void> {
  await storeReusedIds(tx, runId);
  await tx.run(sql`
    INSERT INTO migration_repeat (run_id, number, is_known_person, earlier_line)
    SELECT ${runId}, number, is_known_person, earlier_line FROM (
      SELECT number,
        person IS NOT NULL AND row_number() OVER (PARTITION BY person COLLATE "C" ORDER BY number) > 1 AS is_known_person,
        min(line) FILTER (WHERE external_id IS NOT NULL) OVER (PARTITION BY external_id COLLATE "C" ORDER BY number
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_line
      FROM migration_record WHERE run_id = ${runId}) records
    WHERE is_known_person OR earlier_line IS NOT NULL
    ON CONFLICT DO NOTHING`);
}
