import { type Db, join, sql } from "@/lib/platform/db/sql";

/** Queues the objects of images for deletion, in the transaction that removes the images. Objects still in use are kept. */
export async function queueImageDeletion(tx: Db, keys: readonly string[], now: string): Promise<void> {
  if (keys.length === 0) return;
  const values = keys.map((key) => sql`(${key}::uuid, ${now}::timestamptz)`);
  await tx.run(
    sql`INSERT INTO deleted_image (image_key, deleted_date) VALUES ${join(values)} ON CONFLICT (image_key) DO NOTHING`,
  );
}
