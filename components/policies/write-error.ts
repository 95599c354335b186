import { CallError, isUncertain } from "@/components/session/call-error";
import { writeErrors } from "./messages/dialogs";
import { HOLDER_CHANGED } from "./rank-holder";

const UNCERTAIN_TITLES = {
  archived: writeErrors.mayBeArchived,
  restored: writeErrors.mayBeRestored,
  deleted: writeErrors.mayBeDeleted,
};

/**
 * Turns the error of a write on a policy into the notice that its dialog shows.
 *
 * @param done what the write does
 */
export function toWriteError(
  error: Error | null,
  done: keyof typeof UNCERTAIN_TITLES,
): { title: string; message: string } | null {
  if (!error) return null;
  return { title: isUncertain(error) ? UNCERTAIN_TITLES[done] : writeErrors[done], message: explain(error) };
}

function explain(error: Error): string {
  if (!(error instanceof CallError) || error.status !== 412) return error.message;
  return error.code === HOLDER_CHANGED ? writeErrors.rankTaken : writeErrors.changed;
}
