import type { Row } from "@/lib/platform/db/rows";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** A card image with its image rank on a policy: 1 front, 2 back, up to 9. Legacy cards call the same number `side`. */
export interface PlacedImage extends StoredImage {
  image_rank: number;
}

/** The database record of an image: its hash to verify the bytes, and its patient for the audit log. */
export type ImageRecord = Row<"policy_card_image", "sha256"> & Row<"policy", "patient_id">;

/** An image with a database record, as checked by `npm run images`. */
export interface KnownImage
  extends Row<"policy_card_image", "image_key" | "sha256" | "bytes">,
    Row<"policy", "patient_id"> {
  /** A policy that shows or showed it; null if only legacy cards do. */
  policy_id: number | null;
}
