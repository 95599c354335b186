import type { RecordState, RunState } from "@/generated/rows/enums";
import type { Row } from "@/lib/platform/db/rows";
import { ConflictError } from "@/lib/platform/errors";

export type { RunState };

/** States with work in progress. At most one run of a practice is in one of them. */
export const AT_WORK = ["reading", "checking", "converting", "verifying", "rolling_back"] as const;
export type WorkState = (typeof AT_WORK)[number];

/** Returns whether the background worker has work to do on a run. */
export function isAtWork(state: RunState): state is WorkState {
  return AT_WORK.some((one) => one === state);
}

/** The states in which a record accepts decisions. Converted and unchanged records accept no more. */
export const DECIDABLE: readonly RecordState[] = ["checked", "left_out", "stale"];

/** Returns whether a record in this state accepts decisions. */
export function isDecidable(state: RecordState): boolean {
  return DECIDABLE.includes(state);
}

/** Limits the findings per decision, because their records are checked again in the same transaction. */
export const MAX_FINDINGS = 5_000;

export type RunAction = "upload" | "check" | "decide" | "convert" | "verify" | "roll_back" | "cancel" | "resume";

/** The states in which a run allows each action. */
const ALLOWED: Readonly<Record<RunAction, readonly RunState[]>> = {
  upload: ["uploading"],
  check: ["uploading"],
  decide: ["checked", "converted", "verified"],
  convert: ["checked", "converted", "verified"],
  verify: ["converted", "verified"],
  roll_back: ["converted", "verified"],
  cancel: ["uploading", "reading", "checking", "checked", "converting", "failed"],
  resume: ["failed"],
};

const IN_WORDS: Record<RunState, string> = {
  uploading: "its file has not been uploaded",
  reading: "its file is being read",
  checking: "it is being checked",
  checked: "it has been checked but not converted",
  converting: "it is being converted",
  converted: "it has been converted",
  verifying: "it is being verified",
  verified: "it has been verified",
  rolling_back: "it is being rolled back",
  rolled_back: "it was rolled back",
  failed: "it failed",
  cancelled: "it was canceled",
};

const ACTIONS_IN_WORDS: Record<RunAction, string> = {
  upload: "receive more of its file",
  check: "be checked",
  decide: "accept decisions",
  convert: "be converted",
  verify: "be verified",
  roll_back: "be rolled back",
  cancel: "be canceled",
  resume: "be resumed",
};

/** Actions that need the originals of a run: the records of its export and the data that it replaced. */
const NEEDS_ORIGINALS: readonly RunAction[] = ["decide", "convert", "verify", "roll_back", "resume"];

type RunProgress = Row<"migration_run", "state" | "stopped_in" | "purged_date">;

/** States in which a run may have written patients. */
const WRITES: readonly (RunState | null)[] = ["converting", "verifying", "rolling_back"];

/**
 * Returns whether a run allows an action. A run that failed or was cancelled can be rolled back if it may have written
 * patients. After a failed rollback, the only action is another rollback, because cancelling would leave some patients
 * rolled back and others not.
 */
export function allows(run: RunProgress, action: RunAction): boolean {
  if (run.purged_date !== null && NEEDS_ORIGINALS.includes(action)) return false;
  const stopped = run.state === "failed" || run.state === "cancelled";
  if (stopped && action === "roll_back") return WRITES.includes(run.stopped_in);
  if (stopped && run.stopped_in === "rolling_back") return false;
  return ALLOWED[action].includes(run.state);
}

/** @throws ConflictError run_state, with the state; originals_deleted, with the date */
export function requireAllowed(run: RunProgress & { id: number }, action: RunAction): void {
  if (allows(run, action)) return;
  if (run.purged_date !== null && allows({ ...run, purged_date: null }, action)) {
    const why = `its originals were deleted on ${run.purged_date.slice(0, 10)} (MIGRATION_RETENTION_DAYS)`;
    throw new ConflictError("originals_deleted", `Run ${run.id} can't ${ACTIONS_IN_WORDS[action]}: ${why}.`);
  }
  const failedRollBack = run.state === "failed" && run.stopped_in === "rolling_back";
  const why = failedRollBack ? "its rollback failed partway. Roll it back again" : IN_WORDS[run.state];
  throw new ConflictError("run_state", `Run ${run.id} can't ${ACTIONS_IN_WORDS[action]}: ${why}.`);
}

/** Final states, apart from a rollback. The retention time begins. */
export const ENDED: readonly RunState[] = ["verified", "rolled_back", "cancelled"];

const DAY_MS = 86_400_000;

/**
 * Returns when a run's originals are deleted: the records of the export, the values of findings, and what the run
 * replaced or removed.
 *
 * @param days how long they are kept after the run has ended
 * @returns ISO 8601; null while the run is open, and after the deletion
 */
export function originalsUntil(
  { state, changed_date: changed, purged_date: purged }: Row<"migration_run", "state" | "changed_date" | "purged_date">,
  days: number,
): string | null {
  const hasEnded = ENDED.includes(state);
  return hasEnded && purged === null ? new Date(Date.parse(changed) + days * DAY_MS).toISOString() : null;
}
