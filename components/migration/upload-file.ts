import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { runCall } from "./paths";

/** The files chosen for runs that wait for them. After a reload, the user has to choose the file again. */
const chosen = new Map<number, File>();

export const keepFile = (run: number, file: File) => void chosen.set(run, file);
export const findFile = (run: number) => chosen.get(run) ?? null;
export const forgetFile = (run: number) => void chosen.delete(run);

export interface UploadWatch {
  onProgress: (sent: number) => void;
  /** Called with true while the connection is lost, and with false when the upload resumes. */
  onWaiting: (waiting: boolean) => void;
  signal: AbortSignal;
}

const RETRY_MS = 2_000;

/**
 * Uploads the missing parts of a file, one at a time. Retries a part until it succeeds or `signal` aborts.
 *
 * @throws CallError if the server rejects a part
 */
export async function uploadParts(
  place: { practice: number; run: number },
  file: File,
  upload: { part_bytes: number; missing: readonly number[] },
  { onProgress, onWaiting, signal }: UploadWatch,
): Promise<void> {
  const { part_bytes: size, missing } = upload;
  let sent = file.size - missing.reduce((sum, part) => sum + slicePart(file, part, size).size, 0);
  for (const part of missing) {
    const bytes = slicePart(file, part, size);
    await withRetry(
      () => staffCall(`${runCall(place.practice, place.run)}/parts/${part}`, { method: "PUT", body: bytes, signal }),
      {
        onWaiting,
        signal,
      },
    );
    sent += bytes.size;
    onProgress(sent);
  }
}

const slicePart = (file: File, part: number, size: number) => file.slice((part - 1) * size, part * size);

async function withRetry(
  work: () => Promise<unknown>,
  { onWaiting, signal }: Pick<UploadWatch, "onWaiting" | "signal">,
) {
  for (;;) {
    try {
      await work();
      onWaiting(false);
      return;
    } catch (error) {
      const isTransient = error instanceof CallError && (error.status === 0 || error.status >= 500);
      if (!isTransient || signal.aborted) throw error;
      onWaiting(true);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      signal.throwIfAborted();
    }
  }
}
