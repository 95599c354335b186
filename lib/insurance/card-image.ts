/** One image of an insurance card in the object store, as both sides of the stream refer to it. */
export interface CardImage {
  /** Key in the object store: random, it says nothing about the patient. */
  image_key: string;
  sha256: string;
  content_type: "image/jpeg" | "image/png";
  bytes: number;
  width: number;
  height: number;
  created_date: string;
}

/** A card image at its place on a policy: 1 front, 2 back, up to 9. The legacy side calls the same number `side`. */
export interface PlacedImage extends CardImage {
  image_rank: number;
}
