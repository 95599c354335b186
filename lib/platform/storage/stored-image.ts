/** An image in the store, as records refer to it. */
export interface StoredImage {
  /** Random key in the store. It reveals nothing about the patient. */
  image_key: string;
  sha256: string;
  content_type: "image/jpeg" | "image/png";
  bytes: number;
  width: number;
  height: number;
  created_date: string;
}
