import { CallError, isUncertain } from "@/components/session/call-error";
import { previewLost } from "./messages/saving";

/**
 * Waits for a write. If the response is lost, checks whether the write was made.
 *
 * @param findOutcome returns what the write would have returned, or null if it was not made
 * @throws the write's error if it was not made, or if the check fails too
 */
export async function checkIfLost<T>(write: Promise<T>, findOutcome: () => Promise<T | null>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const outcome = isUncertain(error) ? await findOutcome().catch(() => null) : null;
    if (outcome === null) throw error;
    return outcome;
  }
}

/** Waits for a dry run. Nothing was saved even if the response is lost, and the error says so. */
export async function asDryRun<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    if (!(error instanceof CallError) || !error.isUncertain) throw error;
    throw new CallError(error.status, error.code, previewLost);
  }
}
