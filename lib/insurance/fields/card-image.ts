import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** A card image with its image rank on a policy: 1 front, 2 back, up to 9. Legacy cards call the same number `side`. */
export interface PlacedImage extends StoredImage {
  image_rank: number;
}

/** What the database records about an image, to check its bytes and to audit whose data it is. */
export interface ImageRecord {
  sha256: string;
  content_type: StoredImage["content_type"];
  patient_id: number;
  practice_id: number;
}

/** An image with a database record, as checked by `npm run images`. */
export interface KnownImage {
  image_key: string;
  sha256: string;
  bytes: number;
  patient_id: number;
  /** A policy that shows or showed it; null if only legacy cards do. */
  policy_id: number | null;
}
