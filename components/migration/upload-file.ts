import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import type { Upload } from "@/lib/migration/read/upload-run";
import type { PartHash } from "@/lib/migration/work/page-queries";
import { uploadStep as text } from "./messages/run";
import { runCall } from "./paths";

/** The files chosen for runs that wait for them. After a reload, the user has to choose the file again. */
const chosen = new Map<number, File>();

export const keepFile = (run: number, file: File) => void chosen.set(run, file);
export const findFile = (run: number) => chosen.get(run) ?? null;
export const forgetFile = (run: number) => void chosen.delete(run);

export interface UploadWatch {
  /** Called with the number of bytes that were compared or uploaded. */
  onProgress: (done: number) => void;
  /** Called with true while uploaded parts are compared with the file, and with false afterwards. */
  onComparing: (comparing: boolean) => void;
  /** Called for each uploaded part that differs from the file, before it is sent again. */
  onDifferent: () => void;
  /** Called with true while the connection is lost, and with false when the upload resumes. */
  onWaiting: (waiting: boolean) => void;
  signal: AbortSignal;
}

const RETRY_MS = 2_000;

/**
 * Uploads a file, one part at a time, and starts its check. The server then has exactly this file:
 *
 * - Uploaded parts may come from an earlier version of the same name and size. They are compared with the file first, and sent again if
 *   they differ. Then the missing parts are sent.
 * - Another tab may upload another version at the same time. The page that began last goes on, and the server rejects the calls of others.
 *
 * Retries a call until it succeeds or `signal` aborts.
 *
 * @throws CallError if the server rejects a call; upload_taken_over if another page uploads the file
 * @throws Error if the file can't be read
 */
export async function uploadFile(
  place: { practice: number; run: number },
  file: File,
  watch: UploadWatch,
): Promise<void> {
  const { onProgress, onComparing, onDifferent, signal } = watch;
  const run = runCall(place.practice, place.run);
  const path = `${run}/parts`;
  const begin = () => staffCall<Upload & { turn: number }>(path, { method: "POST", signal });
  const { turn, ...upload } = await withRetry(begin, watch);
  const send = (part: number, bytes: ArrayBuffer) => {
    const put = () => staffCall(`${path}/${part}?turn=${turn}`, { method: "PUT", body: new Blob([bytes]), signal });
    return withRetry(put, watch);
  };
  const readPart = (part: number) => readBytes(file, (part - 1) * upload.part_bytes, part * upload.part_bytes);
  let done = 0;
  const advance = ({ byteLength }: ArrayBuffer) => {
    done += byteLength;
    onProgress(done);
  };

  const parts = Array.from({ length: upload.parts }, (_, at) => at + 1);
  // Browsers have crypto.subtle only in secure contexts. Without it, nothing can be compared, so all parts are sent again.
  const toSend = new Set(crypto.subtle ? upload.missing : parts);
  const toCompare = parts.filter((part) => !toSend.has(part));
  const hashes = new Map<number, string>();
  onComparing(toCompare.length > 0);
  for (const part of toCompare) {
    signal.throwIfAborted();
    if (!hashes.has(part)) {
      const read = () => staffCall<{ results: PartHash[] }>(`${path}?from=${part}`, { signal });
      for (const { part: hashed, sha256 } of (await withRetry(read, watch)).results) hashes.set(hashed, sha256);
    }
    const bytes = await readPart(part);
    if ((await hashBytes(bytes)) !== hashes.get(part)) {
      onDifferent();
      await send(part, bytes);
    }
    advance(bytes);
  }
  onComparing(false);
  for (const part of toSend) {
    const bytes = await readPart(part);
    await send(part, bytes);
    advance(bytes);
  }
  await staffCall(`${run}/work`, { method: "POST", body: { work: "check", turn } });
}

/** Reads bytes of a file into memory. A repeated call then sends the same bytes, even if the file has changed since. */
async function readBytes(file: File, start: number, end: number): Promise<ArrayBuffer> {
  try {
    return await file.slice(start, end).arrayBuffer();
  } catch {
    throw new Error(text.unreadable(file.name));
  }
}

/** Returns the SHA-256 of bytes in hexadecimal digits. */
async function hashBytes(bytes: ArrayBuffer): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function withRetry<T>(
  work: () => Promise<T>,
  { onWaiting, signal }: Pick<UploadWatch, "onWaiting" | "signal">,
): Promise<T> {
  for (;;) {
    try {
      const result = await work();
      onWaiting(false);
      return result;
    } catch (error) {
      const isTransient = error instanceof CallError && (error.status === 0 || error.status >= 500);
      if (!isTransient || signal.aborted) throw error;
      onWaiting(true);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      signal.throwIfAborted();
    }
  }
}
