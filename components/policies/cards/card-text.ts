import type { readCardImages } from "@/lib/insurance/policies/history-queries";

/** A policy's card images, as the API returns them. */
export type CardImagesData = Awaited<ReturnType<typeof readCardImages>>;
/** A card image with a link to its bytes. */
export type ShownImage = CardImagesData["images"][number];

/** The places of card images: 1 is the front, 2 the back. */
export const PLACES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Returns the places to offer: front, back, those in use and the one after each of them. */
export function offeredPlaces(taken: readonly number[]): number[] {
  return PLACES.filter((place) => place <= 2 || taken.includes(place) || taken.includes(place - 1));
}

export function placeName(place: number): string {
  return place === 1 ? "Front" : place === 2 ? "Back" : `Further ${place - 2}`;
}

/** `1012 × 638 px, JPEG, 240 KB` */
export function describeImage({ width, height, content_type, bytes }: Omit<ShownImage, "url">): string {
  return `${width} × ${height} px, ${content_type === "image/png" ? "PNG" : "JPEG"}, ${formatSize(bytes)}`;
}

/** Formats a size in units of 1,024, like the limits: `240 KB`, `9.5 MB`. */
export function formatSize(bytes: number): string {
  const kib = bytes / 1024;
  if (kib < 1000) return `${Math.max(1, Math.round(kib))} KB`;
  return `${(kib / 1024).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** The versions that showed an image: `versions 2 to 4`. */
export const versionRange = ({ from_version, to_version }: { from_version: number; to_version: number }) =>
  from_version === to_version ? `version ${from_version}` : `versions ${from_version} to ${to_version}`;

/** The editor's error if the image at the place has changed since the picture was chosen. */
export const IMAGE_CHANGED =
  "There is another picture at this place now: somebody else’s, or yours if the connection was lost. Your picture is kept here. Check the page behind this dialog, then try again to replace it.";
