// Drives migration runs from the command line.
import { setTimeout as pause } from "node:timers/promises";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { type RunRequest, resumeRun } from "@/lib/migration/runs/migration-run";
import { findRun } from "@/lib/migration/runs/queries";
import {
  allows,
  isAtWork,
  type RunAction,
  type RunState,
  requireAllowed,
  type WorkState,
} from "@/lib/migration/runs/run-states";
import type { RunRow } from "@/lib/migration/runs/schema";
import { workRun } from "@/lib/migration/work/run-worker";
import { db } from "@/lib/platform/db/sql";
import { ConflictError, DomainError, NotFoundError } from "@/lib/platform/errors";
import type { Source } from "@/lib/platform/files/source";
import { getPractice } from "@/lib/practice/practices/queries";
import { ProgramError, readId, UsageError } from "./command-line";
import { runProgress } from "./file-progress";

/** The exit code after a signal. */
export const STOPPED = 130;
const PAUSE_MS = 1_000;

/** Returns the access and origin of a command for runs of a practice. */
export function requestFor(practiceId: number, reason?: string): RunRequest {
  const program = { name: "Command line", source: "migration", operation: "migration.cli" } as const;
  const origin = systemOrigin({ ...program, ...(reason ? { reason } : {}) });
  return { access: mintAccess({ practices: [practiceId], actor: origin.actor }), origin };
}

/** @throws UsageError if the practice does not exist */
export async function requirePractice({ access }: RunRequest, practiceId: number): Promise<void> {
  await getPractice(access, practiceId).catch((error: unknown) => {
    throw error instanceof NotFoundError ? new UsageError(`--practice ${practiceId}: ${error.message}`) : error;
  });
}

/** @throws UsageError if the argument is not an ID or the run does not exist */
export async function requireRun(word: string | undefined, name: string): Promise<RunRow> {
  const run = await findRun(db, readId(word, name));
  if (!run) throw new UsageError(`${name} ${word}: No such migration run.`);
  return run;
}

/** Reports an action that the run's state does not allow as wrong usage. */
export async function asUsage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isWrong =
      error instanceof DomainError && ["run_state", "originals_deleted", "no_physician"].includes(error.reason);
    throw isWrong ? new UsageError(error.message) : error;
  }
}

/** Returns a signal that is aborted by Ctrl-C or SIGTERM. The current batch is finished first. */
export function stopOnSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

/**
 * Works on a run, with a progress bar on a terminal, until it waits for a person or has ended. If another process, such as the server,
 * works on it, this one waits.
 *
 * @returns the run afterwards; still at work only after a signal
 * @throws ProgramError if it failed or was canceled
 */
export async function workToEnd(
  runId: number,
  { signal, source }: { signal: AbortSignal; source?: Source },
): Promise<RunRow> {
  const progress = runProgress();
  try {
    for (;;) {
      const run = await workRun(runId, { signal, onProgress: progress.show, ...(source ? { source } : {}) }).catch(
        (error: unknown) => waitForOther(error, runId),
      );
      if (run && isAtWork(run.state) && !signal.aborted) await pause(PAUSE_MS);
      else return requireWhole(run, runId);
    }
  } finally {
    progress.stop();
  }
}

/** Waits until no other process works on the run or converts into its practice. */
async function waitForOther(error: unknown, runId: number): Promise<RunRow | null> {
  if (error instanceof ConflictError && error.reason === "already_running") return findRun(db, runId);
  throw error;
}

function requireWhole(run: RunRow | null, runId: number): RunRow {
  if (!run) throw new ProgramError(`Run ${runId} was deleted.`);
  if (run.state === "failed") throw new ProgramError(`Run ${runId} failed: ${run.error}`);
  if (run.state === "cancelled") throw new ProgramError(`Run ${runId} was canceled.`);
  return run;
}

/**
 * Starts the work of a run, or continues it if it was interrupted or failed.
 *
 * @throws UsageError if the run's state does not allow it
 */
export async function startOrContinue(
  run: RunRow,
  {
    request,
    work,
    action,
    begin,
  }: { request: RunRequest; work: WorkState; action: RunAction; begin: () => Promise<void> },
): Promise<{ goesOn: boolean }> {
  if (run.state === work) return { goesOn: true };
  const goesOn = run.state === "failed" && run.stopped_in === work;
  await asUsage(async () => {
    if (goesOn && allows(run, "resume")) return resumeRun(request, run.id);
    requireAllowed(run, action);
    return begin();
  });
  return { goesOn };
}

/** Describes a state for sentences such as "It was interrupted while it was rolled back." */
export const WORK_WORDS: Partial<Record<RunState, string>> = {
  reading: "its file was read",
  checking: "it was checked",
  converting: "it was converted",
  verifying: "it was verified",
  rolling_back: "it was rolled back",
};
