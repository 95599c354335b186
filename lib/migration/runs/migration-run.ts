import { expressionBuilder } from "kysely";
import type { Access, Origin } from "@/lib/access/identity/access";
import { countPracticePatients } from "@/lib/insurance/patients/import-queries";
import type { Columns } from "@/lib/migration/record/columns";
import { isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { kysely } from "@/lib/platform/db/kysely";
import type { Tables } from "@/lib/platform/db/rows";
import { type Db, sql } from "@/lib/platform/db/sql";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { BusinessRuleError, ConflictError, ValidationError } from "@/lib/platform/errors";
import { listPhysiciansForImport } from "@/lib/practice/physicians/queries";
import { getRun, lockForWork, lockRun } from "./queries";
import { countBatch } from "./run-groups";
import { AT_WORK, allows, isAtWork, type RunAction, requireAllowed, type WorkState } from "./run-states";
import type { RecordState, RunCompany, RunRow } from "./schema";

/** Who requests an action on a run. */
export interface RunRequest {
  access: Access;
  origin: Origin;
}

export interface NewRun {
  practiceId: number;
  source?: RunRow["source"];
  /** The file's name. */
  name: string;
  /** Size of the file in bytes. */
  size: number;
  /** From `fingerprintSource`; absent if the file isn't uploaded yet. */
  fingerprint?: string | undefined;
  /** `YYYY-MM-DD` */
  asOf: string;
  columns: Columns | null;
  companies: readonly RunCompany[];
  /** The run whose export this one corrects. */
  follows?: number | undefined;
  /** The file is uploaded and counts toward the practice's quota. */
  isUpload?: boolean;
}

/**
 * Creates a run that waits for the upload of its file.
 *
 * @throws ValidationError if the caller has no such practice, or the practice no such run to correct
 * @throws BusinessRuleError no_physician
 * @throws ConflictError run_quota, storage_quota
 */
export function createRun(request: RunRequest, run: NewRun): Promise<number> {
  return transaction((tx) => insertRun(tx, request, run));
}

/**
 * Creates a run that reads its records from a source passed to `workRun`, and starts it in the same transaction.
 *
 * @throws the errors of {@link createRun}
 * @throws ConflictError practice_at_work
 */
export function createStartedRun(request: RunRequest, run: NewRun): Promise<number> {
  return transaction(async (tx) => {
    const id = await insertRun(tx, request, run);
    const total = run.source === "practice" ? await countPracticePatients(tx, run.practiceId) : run.size;
    await startWork(tx, await lockRun(tx, request.access, id), { state: "reading", total, origin: request.origin });
    return id;
  });
}

async function insertRun(tx: Tx, { access, origin }: RunRequest, run: NewRun): Promise<number> {
  const { practiceId, source = "file", name, size, asOf, columns, companies } = run;
  if (!access.practices.includes(practiceId)) throw new ValidationError({ practice: ["No such practice."] });
  const physicians = await listPhysiciansForImport(tx, practiceId);
  if (physicians.length === 0) {
    throw new BusinessRuleError(
      "no_physician",
      "The practice has no physician, and every patient needs one. Add a physician first.",
    );
  }
  if (run.isUpload) await requireQuota(tx, practiceId, size);
  const now = isoNow();
  if (run.follows !== undefined) await requireFollowed(tx, access, practiceId, run.follows);
  const created = await tx.one(
    kysely
      .insertInto("migration_run")
      .values({
        practice_id: practiceId,
        source,
        source_name: name,
        source_size: size,
        source_fingerprint: run.fingerprint ?? null,
        as_of: asOf,
        columns,
        companies: jsonArray(companies),
        follows: run.follows ?? null,
        state: "uploading",
        total: size,
        since_date: now,
        origin,
        created_date: now,
        changed_date: now,
      })
      .returning("id"),
  );
  return created.id;
}

async function requireFollowed(tx: Tx, access: Access, practiceId: number, follows: number): Promise<void> {
  const followed = await getRun(access, follows, tx).catch(() => null);
  if (followed?.practice_id !== practiceId) throw new ValidationError({ follows: ["No such run in this practice."] });
  if (followed.purged_date !== null)
    throw new ValidationError({ follows: ["The originals of this run were deleted."] });
}

/**
 * Locks a run and changes it in one transaction, if its state allows the action.
 *
 * @throws NotFoundError, ConflictError run_state
 */
export async function changeRun<T>(
  { access }: RunRequest,
  runId: number,
  action: RunAction,
  work: (tx: Tx, run: RunRow) => Promise<T>,
): Promise<T> {
  return transaction(async (tx) => {
    const run = await lockRun(tx, access, runId);
    requireAllowed(run, action);
    return work(tx, run);
  });
}

/**
 * Starts the work of a run, which continues in the background on behalf of the user.
 *
 * @throws ConflictError practice_at_work: another run of the practice is in progress
 */
export async function startWork(
  tx: Tx,
  run: RunRow,
  work: { state: WorkState; total: number; done?: number; origin: Origin },
): Promise<void> {
  const { done = 0 } = work;
  const other = await tx.first(
    kysely
      .selectFrom("migration_run")
      .select(["id", "state"])
      .where("practice_id", "=", run.practice_id)
      .where("id", "<>", run.id)
      .where("state", "in", AT_WORK),
  );
  if (other) {
    const cancel = allows({ ...other, stopped_in: null, purged_date: null }, "cancel") ? " or cancel it" : "";
    throw new ConflictError(
      "practice_at_work",
      `Run ${other.id} of this practice is in progress. Wait until it finishes${cancel}.`,
    );
  }
  const now = isoNow();
  await tx.run(
    kysely
      .updateTable("migration_run")
      .set({
        state: work.state,
        stopped_in: null,
        error: null,
        attempted_by: [],
        counts: null,
        done,
        total: work.total,
        since_date: now,
        since_done: done,
        origin: work.origin,
        changed_date: now,
      })
      .where("id", "=", run.id),
  );
}

/** The columns that a batch of work sets. */
type Progress = Partial<
  Pick<RunRow, "state" | "done" | "total" | "verification" | "created_companies" | "company_changes" | "roll_back">
>;

/** Thrown inside a batch to roll it back when its run was cancelled or taken over. */
export class RunInterrupted extends Error {}

/**
 * Runs one batch of a run's work. Its writes and the progress commit together. The run is locked and must have the
 * state and progress that the batch was prepared for.
 *
 * @param run the run as the previous batch leaves it. If that batch has not committed yet, the statements of this one run at the same
 * time, in their own transaction, and it locks the run afterwards
 * @param work may send statements right away: PostgreSQL rolls them back if the run differs
 * @throws RunInterrupted if its state or progress differs
 * @throws the error of the previous batch
 */
export async function workBatch(run: RunRow | Promise<RunRow>, work: (tx: Tx) => Promise<Progress>): Promise<RunRow> {
  return transaction(async (tx) => {
    // Waits for both even if one fails, because the connection is used again afterwards.
    const [locking, worked] = await Promise.all([settled(lockUnchanged(tx, run)), settled(work(tx))]);
    if ("error" in locking) throw locking.error;
    if ("error" in worked) throw worked.error;
    const { value: locked } = locking;
    const { company_changes: changes, ...progress } = worked.value;
    const written = { ...progress, attempted_by: [], error: null, changed_date: isoNow() };
    const { state, done = locked.done } = progress;
    // Reading counts bytes. When other work ends, it has stored its counts.
    const isCounted = locked.state !== "reading" && state === undefined;
    const counted = isCounted ? await countBatch(tx, locked, done) : undefined;
    const update = kysely
      .updateTable("migration_run")
      .set({ ...written, company_changes: changes && jsonArray(changes) })
      .where("id", "=", locked.id);
    // Shares a round trip with the commit.
    tx.send(update);
    return { ...locked, ...written, counted, ...(changes ? { company_changes: changes } : {}) };
  });
}

/** Locks a run, at once unless it is still a promise. */
async function lockUnchanged(tx: Tx, expected: RunRow | Promise<RunRow>): Promise<RunRow> {
  const run = expected instanceof Promise ? await expected : expected;
  const locked = await lockForWork(tx, run.id);
  if (locked?.state !== run.state || locked.done !== run.done) throw new RunInterrupted();
  return run;
}

/** Returns the result of a promise, or its error. */
function settled<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

/** Binds an array as jsonb, because pg sends arrays as PostgreSQL arrays. */
function jsonArray<T>(values: readonly T[]) {
  const { cast, val } = expressionBuilder<Tables>();
  return cast<T[]>(val(JSON.stringify(values)), "jsonb");
}

/** Sets the state of records. This is SQL with a constant text, because a rollback runs it for each record. */
export function setRecordState(tx: Tx, runId: number, numbers: readonly number[], state: RecordState): void {
  if (numbers.length === 0) return;
  tx.send(
    sql`UPDATE migration_record SET state = ${state} WHERE run_id = ${runId} AND number = ANY(${[...numbers]}::int[])`,
  );
}

/** Marks a run as failed. Staff can resume it. */
export async function failRun(db: Db, run: Pick<RunRow, "id" | "state">, message: string): Promise<void> {
  await db.run(
    kysely
      .updateTable("migration_run")
      .set({ state: "failed", stopped_in: run.state, error: message, changed_date: isoNow() })
      .where("id", "=", run.id)
      .where("state", "=", run.state),
  );
}

/** Records the temporary condition that a run waits for. Its next batch clears it. */
export async function recordWaiting(db: Db, run: Pick<RunRow, "id" | "state">, message: string): Promise<void> {
  await db.run(
    kysely
      .updateTable("migration_run")
      .set({ error: message })
      .where("id", "=", run.id)
      .where("state", "=", run.state)
      .where("error", "is distinct from", message),
  );
}

/** Cancels a run. Converted records stay, and can be rolled back. */
export async function cancelRun(request: RunRequest, runId: number): Promise<void> {
  await changeRun(request, runId, "cancel", async (tx, { state, stopped_in }) => {
    await tx.run(
      kysely
        .updateTable("migration_run")
        .set({
          state: "cancelled",
          stopped_in: state === "failed" ? stopped_in : state,
          changed_date: isoNow(),
        })
        .where("id", "=", runId),
    );
  });
}

/** Resumes a failed run. */
export async function resumeRun(request: RunRequest, runId: number): Promise<void> {
  await changeRun(request, runId, "resume", async (tx, run) => {
    const { stopped_in: state, total, done } = run;
    if (state === null || !isAtWork(state)) throw new Error(`run ${runId} did not stop during work`);
    await startWork(tx, run, { state, total, done, origin: request.origin });
  });
}

/**
 * Enforces a practice's quota of open runs, and of bytes in uploaded files and card images. A lock serializes the new
 * uploads of a practice.
 *
 * @param size the size of the new file in bytes
 * @throws ConflictError run_quota, storage_quota
 */
export async function requireQuota(tx: Tx, practiceId: number, size: number): Promise<void> {
  const { MIGRATION_OPEN_RUNS: maxRuns, MIGRATION_STORED_BYTES: maxBytes } = config();
  await tx.run(sql`SELECT pg_advisory_xact_lock(hashtext(${`migration quota ${practiceId}`}))`);
  const used = await tx.first<{ runs: number; announced: number; uploaded: number; images: number }>(sql`
    SELECT count(*) FILTER (WHERE state IN ('uploading', 'reading', 'checking', 'checked', 'failed')) AS runs,
      coalesce(sum(source_size) FILTER (WHERE state = 'uploading'), 0)::bigint AS announced,
      coalesce((SELECT sum(octet_length(p.bytes)) FROM migration_part p JOIN migration_run r ON r.id = p.run_id
        WHERE r.practice_id = ${practiceId} AND r.state <> 'uploading'), 0)::bigint AS uploaded,
      coalesce((SELECT sum(octet_length(i.bytes)) FROM migration_image i JOIN migration_run r ON r.id = i.run_id
        WHERE r.practice_id = ${practiceId}), 0)::bigint AS images
    FROM migration_run WHERE practice_id = ${practiceId}`);
  const { runs = 0, announced = 0, uploaded = 0, images = 0 } = used ?? {};
  if (runs >= maxRuns) {
    throw new ConflictError(
      "run_quota",
      `This practice has ${runs} open runs, and the limit is ${maxRuns}. Cancel runs that you no longer need.`,
    );
  }
  const stored = announced + uploaded + images;
  if (stored + size <= maxBytes) return;
  throw new ConflictError(
    "storage_quota",
    `The runs of this practice store ${inMib(stored)} of ${inMib(maxBytes)}, and the file has ${inMib(size)}. Cancel runs that you no longer need, or compress the file with gzip.`,
  );
}

const inMib = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2).toLocaleString("en-US")} MiB`;
