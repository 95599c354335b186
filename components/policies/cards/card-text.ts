import type { readCardImages } from "@/lib/insurance/policies/history-queries";

/** The card images of a policy as the server tells them. */
export type CardImagesData = Awaited<ReturnType<typeof readCardImages>>;
/** One of them, with a link to its bytes. */
export type ShownImage = CardImagesData["images"][number];

/** The places of card images: 1 front, 2 back, up to 9. */
export const PLACES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/** Places that a card offers: front and back, and of the further ones those in use and the next. */
export function offeredPlaces(taken: readonly number[]): number[] {
  return PLACES.filter((place) => place <= 2 || taken.includes(place) || taken.includes(place - 1));
}

/** What a place is called. */
export function placeName(rank: number): string {
  return rank === 1 ? "Front" : rank === 2 ? "Back" : `Further ${rank - 2}`;
}

/** `1012 × 638 px, JPEG, 240 KB` */
export function describeImage({ width, height, content_type, bytes }: Omit<ShownImage, "url">): string {
  return `${width} × ${height} px, ${content_type === "image/png" ? "PNG" : "JPEG"}, ${formatSize(bytes)}`;
}

/** `240 KB`, `9.5 MB`: in units of 1,024, as the limits are. */
export function formatSize(bytes: number): string {
  const kib = bytes / 1024;
  if (kib < 1000) return `${Math.max(1, Math.round(kib))} KB`;
  return `${(kib / 1024).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** In which versions an image was shown. */
export const versionRange = ({ from_version, to_version }: { from_version: number; to_version: number }) =>
  from_version === to_version ? `version ${from_version}` : `versions ${from_version} to ${to_version}`;

/** What the editor says where a place is not as it was when the picture was chosen. */
export const IMAGE_CHANGED =
  "Another picture is at this place since: somebody else’s, or yours where the connection was lost. Your picture is kept here. Look at the page behind, then try again to replace that one.";
