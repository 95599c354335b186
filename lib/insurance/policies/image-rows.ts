import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import { type Db, insertInto, join, sql } from "@/lib/platform/db/sql";
import type { PolicyRow } from "./schema";

const IMAGE_COLUMNS = [
  "policy_id",
  "image_rank",
  "image_key",
  "sha256",
  "content_type",
  "bytes",
  "width",
  "height",
  "from_version",
  "created_date",
] as const;

interface Change {
  before: PolicyRow | null;
  now: PolicyRow;
}

/** Ends the images that policies no longer show and adds the new ones, at each policy's new version. */
export async function writeImages(db: Db, changes: readonly Change[]): Promise<void> {
  const added: { policy: PolicyRow; image: PlacedImage }[] = [];
  for (const { before, now } of changes) {
    const kept = new Set(now.card_images.map(place));
    const had = new Set((before?.card_images ?? []).map(place));
    const ended = (before?.card_images ?? []).filter((image) => !kept.has(place(image)));
    if (ended.length > 0) {
      await db.run(sql`
        UPDATE policy_card_image SET to_version = ${now.version}
        WHERE policy_id = ${now.id} AND to_version IS NULL
          AND image_rank IN (${join(ended.map(({ image_rank }) => image_rank))})`);
    }
    added.push(...now.card_images.filter((image) => !had.has(place(image))).map((image) => ({ policy: now, image })));
  }
  await insertImages(db, added);
}

async function insertImages(db: Db, added: readonly { policy: PolicyRow; image: PlacedImage }[]): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(({ policy, image }) => ({ policy_id: policy.id, ...image, from_version: policy.version }));
  await db.run(insertInto("policy_card_image", rows, IMAGE_COLUMNS));
}

const place = (image: PlacedImage) => `${image.image_rank} ${image.image_key}`;
