import { CallError, isUncertain } from "@/components/session/call-error";

/**
 * A write, and where its answer got lost a look at what came of it.
 *
 * @param look gives what the write would have answered, or null where it was not made
 * @throws what the write threw, where it was not made or nobody can tell
 */
export async function checkIfLost<T>(write: Promise<T>, look: () => Promise<T | null>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const found = isUncertain(error) ? await look().catch(() => null) : null;
    if (found === null) throw error;
    return found;
  }
}

/** A trial run: it saves nothing, whatever became of its answer. */
export async function asDryRun<T>(run: Promise<T>): Promise<T> {
  try {
    return await run;
  } catch (error) {
    if (!(error instanceof CallError) || !isUncertain(error)) throw error;
    throw new CallError(error.status, error.code, UNTRIED);
  }
}

const UNTRIED = "The server gave no answer. Nothing was saved; check the connection and try again.";
