import { CallError } from "@/components/session/call-error";
import type { CardStore } from "./card-store";
import { imageAt } from "./card-store";
import type { CardImagesData, ShownImage } from "./card-text";
import type { ImageLimits } from "./picture";
import type { UploadWatch } from "./upload";

/** A picture for a policy that is not saved yet. */
export interface NewCard extends ShownImage {
  blob: Blob;
}

/** The pictures for a new policy, as the card editor needs them. */
export interface NewCardSet {
  version: number;
  limits: ImageLimits;
  images: readonly NewCard[];
}

/** Describes an edited picture for its place. The caller revokes its URL. */
export async function createNewCard(place: number, blob: Blob): Promise<NewCard> {
  const bitmap = await createImageBitmap(blob);
  const { width, height } = bitmap;
  bitmap.close();
  const url = URL.createObjectURL(blob);
  return {
    blob,
    url,
    image_rank: place,
    // Identifies the picture until the server computes its hash.
    sha256: url,
    content_type: blob.type === "image/png" ? "image/png" : "image/jpeg",
    bytes: blob.size,
    width,
    height,
    created_date: new Date().toISOString(),
  };
}

/**
 * Uploads a picture for a policy that was just added. If an earlier attempt arrived although its response was lost, sends nothing.
 *
 * @param version the policy's version
 * @returns its new version
 * @throws CallError
 */
export async function uploadNewCard(
  store: CardStore<CardImagesData>,
  { image_rank: place, blob }: NewCard,
  version: number,
  watch: UploadWatch,
): Promise<number> {
  const upload = store.upload(place, blob, watch);
  try {
    return (await upload(version)).version;
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 412) throw error;
    const current = await store.load();
    return imageAt(current, place) ? current.version : (await upload(current.version)).version;
  }
}
