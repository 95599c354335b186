import { CallError, isUncertain } from "@/components/session/call-error";
import { HOLDER_CHANGED } from "./rank-holder";

/**
 * Why a write of a policy was refused, and what to do.
 *
 * @param done what it was to be: `archived`
 */
export function toWriteError(error: Error | null, done: string): { title: string; message: string } | null {
  if (!error) return null;
  return { title: `The policy ${isUncertain(error) ? "may have been" : "was not"} ${done}`, message: whyOf(error) };
}

function whyOf(error: Error): string {
  if (!(error instanceof CallError) || error.status !== 412) return error.message;
  return error.code === HOLDER_CHANGED
    ? "Who holds this rank has changed since you opened this. Look at what will happen now, then try again."
    : "Somebody changed this policy since you opened it. Close this, look at the policy as it is now, and try again.";
}
