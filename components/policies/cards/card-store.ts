import type { ImageLimits } from "./picture";
import type { ChangedImage, UploadWatch } from "./upload";

/** The card images of a policy, or of a patient without policies, as the user saw them before a change. */
export interface CardSet {
  /** The version of the policy or patient. */
  version: number;
  limits: ImageLimits;
  images: readonly { image_rank: number; sha256: string }[];
}

/** Changes the image at one place. Rejected with 412 if the given version is no longer the current one. */
export type CardChange = (version: number) => Promise<ChangedImage>;

/** Creates the change that undoes another one, given the version that one was applied to. */
export type CardUndo = (version: number) => CardChange;

/** Where card images are stored, and how they are changed there. */
export interface CardStore<Cards extends CardSet> {
  /** Names a place at the start of a sentence: `Front`. */
  placeName: (place: number) => string;
  load: () => Promise<Cards>;
  /**
   * Updates the page, and returns the current images or null if they can't be loaded.
   *
   * @param version the version that a change has created; undefined after a failure
   */
  refresh: (version?: number) => Promise<Cards | null>;
  upload: (place: number, blob: Blob, watch: UploadWatch) => CardChange;
  remove: (place: number) => CardChange;
  /** Prepares to restore what is at a place. Returns null if the image can't be restored later. */
  prepareUndo: (cards: Cards, place: number) => Promise<CardUndo | null>;
  /** Replaces the message of an error with one for the users of this store. */
  toError?: (error: Error) => Error;
}

/** Returns the image at a place. */
export function imageAt<Image extends { image_rank: number }>(
  { images }: { images: readonly Image[] },
  place: number,
): Image | undefined {
  return images.find(({ image_rank }) => image_rank === place);
}

/** Returns the places that have an image. */
export function takenPlaces({ images }: { images: readonly { image_rank: number }[] }): number[] {
  return images.map(({ image_rank }) => image_rank);
}
