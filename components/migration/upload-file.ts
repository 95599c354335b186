import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { runCall } from "./paths";

/** The files people chose for runs that wait for them; a page that is loaded anew has to be given the file again. */
const chosen = new Map<number, File>();

export const keepFile = (run: number, file: File) => void chosen.set(run, file);
export const fileOf = (run: number) => chosen.get(run) ?? null;
export const forgetFile = (run: number) => void chosen.delete(run);

export interface UploadWatch {
  onProgress: (sent: number) => void;
  /** The network is gone: it is tried again. */
  onWaiting: (waiting: boolean) => void;
  signal: AbortSignal;
}

const RETRY_MS = 2_000;

/**
 * Sends those parts of a file that the server lacks, one after the other. A part that does not get through is sent again
 * until it does, or until somebody stops it.
 *
 * @throws CallError where the server refuses a part
 */
export async function uploadParts(
  place: { practice: number; run: number },
  file: File,
  upload: { part_bytes: number; missing: readonly number[] },
  { onProgress, onWaiting, signal }: UploadWatch,
): Promise<void> {
  const { part_bytes: size, missing } = upload;
  let sent = file.size - missing.reduce((sum, part) => sum + partOf(file, part, size).size, 0);
  for (const part of missing) {
    const bytes = partOf(file, part, size);
    await persistently(
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

const partOf = (file: File, part: number, size: number) => file.slice((part - 1) * size, part * size);

async function persistently(
  work: () => Promise<unknown>,
  { onWaiting, signal }: Pick<UploadWatch, "onWaiting" | "signal">,
) {
  for (;;) {
    try {
      await work();
      onWaiting(false);
      return;
    } catch (error) {
      const isPassing = error instanceof CallError && (error.status === 0 || error.status >= 500);
      if (!isPassing || signal.aborted) throw error;
      onWaiting(true);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      signal.throwIfAborted();
    }
  }
}
