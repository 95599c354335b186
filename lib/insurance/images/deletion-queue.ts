import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { kysely } from "@/lib/platform/db/kysely";
import { type Db, db, insertInto, sql } from "@/lib/platform/db/sql";
import { ConflictError } from "@/lib/platform/errors";
import { imageStore } from "@/lib/platform/storage/image-store";
import { findUsedImageKeys } from "./image-queries";
import { ORPHAN_LOCK } from "./sweep-orphans";

/** Queues stored images for deletion, in the transaction that removes their records. Images that are still in use are kept. */
export async function queueImageDeletion(tx: Db, keys: readonly string[], now: string): Promise<void> {
  if (keys.length === 0) return;
  const rows = keys.map((key) => ({ image_key: key, deleted_date: now }));
  await tx.run(sql`${insertInto("deleted_image", rows)} ON CONFLICT (image_key) DO NOTHING`);
}

const BATCH_SIZE = 200;

/**
 * Deletes up to 200 queued images that nothing refers to. Images still in use leave the queue: they may have moved to another
 * policy, and a legacy card that shows one queues it again when it is deleted. Safe to interrupt and to repeat.
 *
 * Does nothing while a conversion runs, because converting a patient again stores its images under the same keys before its
 * record refers to them.
 *
 * @returns whether more images may be queued
 */
export async function deleteQueuedImages(): Promise<{ mayBeMore: boolean }> {
  const keys = await listQueued();
  if (keys.length === 0) return { mayBeMore: false };
  try {
    return await withAdvisoryLock({ name: ORPHAN_LOCK, taken: "A conversion is running.", waitMs: 0 }, async () => {
      const used = await findUsedImageKeys(keys);
      for (const key of keys) if (!used.has(key)) await imageStore().delete(key);
      await db.run(kysely.deleteFrom("deleted_image").where("image_key", "in", keys));
      return { mayBeMore: keys.length === BATCH_SIZE };
    });
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return { mayBeMore: false };
  }
}

async function listQueued(): Promise<string[]> {
  const queued = await db.rows(
    kysely.selectFrom("deleted_image").select("image_key").orderBy("deleted_date").limit(BATCH_SIZE),
  );
  return queued.map(({ image_key }) => image_key);
}
