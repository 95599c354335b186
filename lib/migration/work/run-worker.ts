import { setTimeout } from "node:timers/promises";
import type { z } from "zod";
import { deleteQueuedImages } from "@/lib/insurance/images/deletion-queue";
import { ORPHAN_LOCK } from "@/lib/insurance/images/sweep-orphans";
import { checkRun } from "@/lib/migration/check/check-run";
import { convertRun } from "@/lib/migration/convert/convert-run";
import { readOwnRun } from "@/lib/migration/read/legacy-scan";
import { readRun } from "@/lib/migration/read/read-run";
import { startCheck, uploadSource } from "@/lib/migration/read/upload-run";
import { rollBackRun } from "@/lib/migration/rollback/roll-back-run";
import { beginAttempt, endAttempt } from "@/lib/migration/runs/attempts";
import {
  cancelRun,
  failRun,
  RunInterrupted,
  type RunRequest,
  recordWaiting,
  resumeRun,
} from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import { isAtWork, type WorkState } from "@/lib/migration/runs/run-states";
import type { RunRow, WorkOptions } from "@/lib/migration/runs/schema";
import type { workBody } from "@/lib/migration/runs/staff-schema";
import { startVerification, verifyRun } from "@/lib/migration/verify/verify-run";
import { config } from "@/lib/platform/config";
import { type StillHeld, withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { db } from "@/lib/platform/db/sql";
import { ConflictError, DomainError, OutcomeUnknownError, OverloadedError } from "@/lib/platform/errors";
import type { Source } from "@/lib/platform/files/source";
import { log, originIds } from "@/lib/platform/log";
import { describeSystemFailure } from "@/lib/platform/system-failure.mjs";
import { inSpan, withoutSpans } from "@/lib/platform/tracing";

/**
 * Works on a run until it waits for staff or has ended. Interrupted work resumes after the last finished batch.
 *
 * @param options.source the source of its records; the uploaded file if omitted
 * @returns the run afterwards; null if it doesn't exist
 * @throws ConflictError already_running: another process is working on it
 * @throws OverloadedError the database or the store is unreachable: retry later
 */
export async function workRun(
  runId: number,
  { source, ...options }: WorkOptions & { source?: Source } = {},
): Promise<RunRow | null> {
  const inUse = `Another process is working on migration run ${runId}.`;
  // Ends an attempt that this process could not end while the database was unreachable, so that no other process counts it.
  await endAttempt(db, runId);
  return withAdvisoryLock({ name: `migration run ${runId}`, taken: inUse, waitMs: 3_000 }, async () => {
    const taken = await findRun(db, runId);
    if (!taken || !isAtWork(taken.state) || options.signal?.aborted) return taken;
    try {
      if (!(await beginAttempt(db, taken))) return findRun(db, runId);
      for (;;) {
        const run = await findRun(db, runId);
        if (!run || !isAtWork(run.state) || options.signal?.aborted) return run;
        await step(run, run.state, { source, ...options });
      }
    } finally {
      await endAttempt(db, runId).catch(() => {});
    }
  });
}

/** Does the work of a run's state. */
async function step(
  run: RunRow,
  state: WorkState,
  options: WorkOptions & { source?: Source | undefined },
): Promise<void> {
  const work: Record<WorkState, () => Promise<RunRow>> = {
    reading: () =>
      run.source === "practice" ? readOwnRun(run, options) : readRun(run, options.source ?? uploadSource(run), options),
    checking: () => checkRun(run, options),
    converting: () => withoutImports(run, (stillHeld) => convertRun(run, { ...options, stillHeld })),
    verifying: () => verifyRun(run, options),
    rolling_back: () => rollBackAndClean(run, options),
  };
  const span = { name: `migration.${state}`, attributes: { "crosswalk.run": run.id }, parent: run.origin.traceparent };
  try {
    await inSpan(span, () => withoutSpans(work[state]));
  } catch (error) {
    if (error instanceof RunInterrupted) return;
    const cause = describeSystemFailure(error, { databaseUrl: config().DATABASE_URL });
    if (isTemporary(error)) {
      await recordWaiting(db, run, cause ?? error.message).catch(() => {});
      throw error;
    }
    const ids = { run: run.id, ...originIds(run.origin) };
    log.error({ err: error, ...ids }, "a migration run failed");
    const message = cause ?? (error instanceof DomainError ? error.message : UNEXPECTED);
    // If the failure can't be stored, report its cause at least.
    await failRun(db, { id: run.id, state: run.state }, message).catch((failure: unknown) => {
      log.error({ err: failure, ...ids }, "could not store the failure of a migration run");
      throw error;
    });
  }
}

const UNEXPECTED = "The run failed unexpectedly. See the server log for the cause.";

/** Returns whether an error is temporary, so that the work resumes later. */
function isTemporary(error: unknown): error is DomainError {
  const isBusy = error instanceof ConflictError && error.reason === "already_running";
  return error instanceof OverloadedError || error instanceof OutcomeUnknownError || isBusy;
}

async function rollBackAndClean(run: RunRow, options: WorkOptions): Promise<RunRow> {
  const rolledBack = await withoutImports(run, () => rollBackRun(run, options));
  await deleteRemovedImages(options).catch((err: unknown) =>
    log.warn({ err, run: run.id, ...originIds(run.origin) }, "could not delete removed card images; housekeeping will"),
  );
  return rolledBack;
}

/** Deletes the images that the rollback removed. If it is stopped, housekeeping deletes the rest. */
async function deleteRemovedImages({ signal }: WorkOptions): Promise<void> {
  while (!signal?.aborted && (await deleteQueuedImages({ signal })).mayBeMore) {
    // Lets a conversion that waits for the lock get it.
    await setTimeout(500);
  }
}

/** Prevents imports into the practice and the deletion of orphaned images while a run writes. */
function withoutImports<T>({ practice_id: practice }: RunRow, work: (stillHeld: StillHeld) => Promise<T>): Promise<T> {
  const taken = `An import into practice ${practice} is running.`;
  const sweeping = "Orphaned card images are being deleted.";
  return withAdvisoryLock({ name: `import into practice ${practice}`, taken, waitMs: 3_000 }, () =>
    withAdvisoryLock({ name: ORPHAN_LOCK, taken: sweeping, waitMs: 60_000, shared: true }, work),
  );
}

const WORK = { check: startCheck, verify: startVerification, cancel: cancelRun, resume: resumeRun };

/**
 * Performs an action on a run that needs only the staff role.
 *
 * @throws NotFoundError, ConflictError run_state, practice_at_work, upload_incomplete, upload_taken_over
 */
export async function performAction(
  request: RunRequest,
  runId: number,
  { work, turn }: z.output<typeof workBody>,
): Promise<void> {
  await WORK[work](request, runId, { turn });
}
