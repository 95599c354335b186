import { type StillHeld, withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { isOutdated } from "@/lib/platform/db/applied-migrations";
import { databaseNow } from "@/lib/platform/db/due-time";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, insertInto, type Sql, sql } from "@/lib/platform/db/sql";
import { ConflictError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { deleteObjects } from "./delete-objects";
import { findUsedImageKeys } from "./image-queries";
import { ORPHAN_LOCK } from "./sweep-orphans";

type QueuedImage = Row<"deleted_image">;

/**
 * Queues stored images for deletion, in the transaction that removes their records. Images that are still in use are kept. An image that is
 * already in the queue always gets a later date, so that a deletion in progress notices.
 */
export async function queueImageDeletion(tx: Db, keys: readonly string[], now: string): Promise<void> {
  if (keys.length === 0) return;
  // In order, so that transactions with the same keys can't deadlock.
  const rows = [...new Set(keys)].sort().map((key) => ({ image_key: key, deleted_date: now }));
  await tx.run(sql`
    ${insertInto("deleted_image", rows)} ON CONFLICT (image_key) DO UPDATE
    SET deleted_date = greatest(excluded.deleted_date, deleted_image.deleted_date + interval '1 millisecond')`);
}

const BATCH_SIZE = 200;

/**
 * Deletes up to 200 queued images that nothing refers to. Images still in use leave the queue: they may have moved to another
 * policy, and a legacy card that shows one queues it again when it is deleted. Images that can't be deleted go to the end of the queue. Safe
 * to interrupt and to repeat.
 *
 * Does nothing while a conversion runs, because converting a patient again stores its images under the same keys before its
 * record refers to them. Does nothing, either, if a later version has migrated the database: its tables may refer to the images.
 *
 * @param options.signal stops before the next image
 * @returns whether more images may be queued that can be deleted
 * @throws OverloadedError if the store or the database can't be reached
 */
export async function deleteQueuedImages(
  options: { signal?: AbortSignal | undefined } = {},
): Promise<{ mayBeMore: boolean }> {
  const queued = await listQueued();
  if (queued.length === 0 || (await isOutdated())) return { mayBeMore: false };
  try {
    return await withAdvisoryLock({ name: ORPHAN_LOCK, taken: "A conversion is running.", waitMs: 0 }, (stillHeld) =>
      deleteUnused(queued, { signal: options.signal, stillHeld }),
    );
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return { mayBeMore: false };
  }
}

async function deleteUnused(
  queued: readonly QueuedImage[],
  options: { signal?: AbortSignal | undefined; stillHeld: StillHeld },
): Promise<{ mayBeMore: boolean }> {
  const keys = queued.map(({ image_key }) => image_key);
  const used = await findUsedImageKeys(keys);
  const deletion = await deleteObjects(
    keys.filter((key) => !used.has(key)),
    options,
  );
  const failed = new Set(deletion.failed);
  const kept = new Set([...failed, ...deletion.left]);
  const done = queued.filter(({ image_key }) => !kept.has(image_key));
  if (done.length > 0) await db.run(sql`DELETE FROM deleted_image WHERE image_key IN (${unchanged(done)})`);
  if (failed.size > 0) {
    const last = unchanged(queued.filter(({ image_key }) => failed.has(image_key)));
    await db.run(sql`UPDATE deleted_image SET deleted_date = ${databaseNow()} WHERE image_key IN (${last})`);
    // Without the keys, because a key opens its image.
    log.warn({ images: failed.size }, "card images could not be deleted; will retry");
  }
  if (deletion.outage) throw deletion.outage;
  return { mayBeMore: queued.length === BATCH_SIZE && done.length > 0 };
}

/** Selects the keys of these rows, without those that were queued again since they were read, or are being queued right now. */
function unchanged(queued: readonly QueuedImage[]): Sql {
  const keys = queued.map(({ image_key }) => image_key);
  const dates = queued.map(({ deleted_date }) => deleted_date);
  return sql`
    SELECT d.image_key FROM deleted_image d
      JOIN unnest(${keys}::uuid[], ${dates}::timestamptz[]) AS q (image_key, deleted_date) USING (image_key, deleted_date)
    FOR UPDATE OF d SKIP LOCKED`;
}

async function listQueued(): Promise<QueuedImage[]> {
  return db.rows(
    kysely.selectFrom("deleted_image").select(["image_key", "deleted_date"]).orderBy("deleted_date").limit(BATCH_SIZE),
  );
}
