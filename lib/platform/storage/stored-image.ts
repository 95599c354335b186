/** An image in the object store, as the records that show it refer to it. */
export interface StoredImage {
  /** Key in the object store: random, it says nothing about the patient. */
  image_key: string;
  sha256: string;
  content_type: "image/jpeg" | "image/png";
  bytes: number;
  width: number;
  height: number;
  created_date: string;
}
