import { CallError, isUncertain } from "@/components/session/call-error";
import { HOLDER_CHANGED } from "./rank-holder";

/**
 * Turns the error of a write on a policy into the notice that its dialog shows.
 *
 * @param done what the write does, as a past participle: `archived`
 */
export function toWriteError(error: Error | null, done: string): { title: string; message: string } | null {
  if (!error) return null;
  const outcome = isUncertain(error) ? "may have been" : "was not";
  return { title: `The policy ${outcome} ${done}`, message: explain(error) };
}

function explain(error: Error): string {
  if (!(error instanceof CallError) || error.status !== 412) return error.message;
  return error.code === HOLDER_CHANGED
    ? "Another policy holds this rank now. Check what will happen, then try again."
    : "Someone changed this policy after you opened it. Close this dialog, check the policy, and try again.";
}
