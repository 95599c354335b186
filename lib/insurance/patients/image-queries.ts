import type { ImageRecord, KnownImage } from "@/lib/insurance/fields/card-image";
import { type Db, db, sql } from "@/lib/platform/db/sql";

/** Returns those of these images that a legacy card shows or showed. */
export async function findUsedCardKeys(read: Db, keys: readonly string[]): Promise<string[]> {
  const rows = await read.rows<{ image_key: string }>(
    sql`SELECT DISTINCT image_key FROM legacy_card WHERE image_key = ANY(${keys}::uuid[])`,
  );
  return rows.map(({ image_key }) => image_key);
}

/** Finds what a legacy card records about an image, or null if no card shows or showed it. */
export async function findCardRecord(key: string): Promise<ImageRecord | null> {
  return db.first<ImageRecord>(sql`
    SELECT c.sha256, c.content_type, c.patient_id, p.practice_id FROM legacy_card c JOIN patient p ON p.id = c.patient_id
    WHERE c.image_key = ${key}::uuid LIMIT 1`);
}

/** Lists the next `limit` images of legacy cards after a key, including ended cards, in the order of keys. */
export async function listCardImages(after: string, limit: number): Promise<KnownImage[]> {
  return db.rows<KnownImage>(sql`
    SELECT DISTINCT ON (image_key) image_key, sha256, bytes, patient_id, NULL::bigint AS policy_id FROM legacy_card
    WHERE image_key > ${after}::uuid ORDER BY image_key LIMIT ${limit}`);
}
