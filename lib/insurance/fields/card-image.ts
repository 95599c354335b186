import type { StoredImage } from "@/lib/platform/storage/stored-image";

/** A card image at its place on a policy: 1 front, 2 back, up to 9. The legacy side calls the same number `side`. */
export interface PlacedImage extends StoredImage {
  image_rank: number;
}

/** What the database knows of an object in the store, whoever shows it: to check its bytes and to say whose data it is. */
export interface ImageRecord {
  sha256: string;
  content_type: StoredImage["content_type"];
  patient_id: number;
  practice_id: number;
}

/** An image as a check of the whole store goes through them. */
export interface KnownImage {
  image_key: string;
  sha256: string;
  bytes: number;
  patient_id: number;
  /** A policy that shows or showed it; null where only legacy cards do. */
  policy_id: number | null;
}
