import { type Db, db, join, sql } from "@/lib/db/sql";
import { imageStore } from "@/lib/storage/image-store";
import { findUsedImageKeys } from "../image-queries";

/** Notes, in the transaction that lets go of images, that their objects are to go once nothing else refers to them. */
export async function queueImageDeletion(tx: Db, keys: readonly string[], now: string): Promise<void> {
  if (keys.length === 0) return;
  const values = keys.map((key) => sql`(${key}::uuid, ${now}::timestamptz)`);
  await tx.run(
    sql`INSERT INTO deleted_image (image_key, deleted_date) VALUES ${join(values)} ON CONFLICT (image_key) DO NOTHING`,
  );
}

const AT_ONCE = 200;

/**
 * Deletes the queued objects that nothing refers to. One that is still in use leaves the queue: an image may have moved to
 * another policy, and a legacy card that shows it queues it again when it goes. Safe to stop at any moment and to repeat.
 */
export async function deleteQueuedImages(): Promise<void> {
  const queued = await db.rows<{ image_key: string }>(
    sql`SELECT image_key FROM deleted_image ORDER BY deleted_date LIMIT ${AT_ONCE}`,
  );
  const keys = queued.map(({ image_key }) => image_key);
  if (keys.length === 0) return;
  const used = await findUsedImageKeys(keys);
  for (const key of keys) if (!used.has(key)) await imageStore().delete(key);
  await db.run(sql`DELETE FROM deleted_image WHERE image_key = ANY(${keys}::uuid[])`);
}
