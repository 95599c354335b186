import type { StillHeld } from "@/lib/platform/db/advisory-lock";
import { OverloadedError } from "@/lib/platform/errors";
import { imageStore } from "@/lib/platform/storage/image-store";
import { logStoreFailure } from "@/lib/platform/storage/store-failure";

/** What became of the objects to delete. */
export interface Deletion {
  deleted: string[];
  /** Keys that can't be deleted although the store responds, such as those of locked objects. */
  failed: string[];
  /** Keys that were not tried. */
  left: string[];
  /** The failure that ended the deletion, because the store doesn't respond. */
  outage: OverloadedError | null;
}

/** Conversions wait during a deletion, and each failure can take half a minute. */
const MAX_FAILURES = 10;

/**
 * Deletes objects from the image store, one by one. An object that can't be deleted delays no other. Stops early if the store doesn't
 * respond, after ten failures, and when the signal aborts.
 *
 * @param options.stillHeld asked before each object: without the lock, a conversion may be about to use it again
 * @throws OverloadedError the lock may be lost. What was deleted stays in the queue, and is deleted again
 */
export async function deleteObjects(
  keys: readonly string[],
  { signal, stillHeld }: { signal?: AbortSignal | undefined; stillHeld: StillHeld },
): Promise<Deletion> {
  const deleted: string[] = [];
  const failed: string[] = [];
  const end = (tried: number, outage: OverloadedError | null = null): Deletion => {
    return { deleted, failed, left: keys.slice(tried), outage };
  };
  for (const [at, key] of keys.entries()) {
    await stillHeld();
    if (signal?.aborted || failed.length === MAX_FAILURES) return end(at);
    try {
      await imageStore().delete(key);
      deleted.push(key);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
      if (!(await responds())) return end(at, error);
      logStoreFailure(error, {});
      failed.push(key);
    }
  }
  return end(keys.length);
}

function responds(): Promise<boolean> {
  return imageStore()
    .check()
    .then(
      () => true,
      () => false,
    );
}
