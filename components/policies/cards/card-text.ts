import type { readCardImages } from "@/lib/insurance/policies/staff-queries";
import { cardPicture, versionRanges } from "../messages/card-sides";

/** A policy's card images, as the API returns them. */
export type CardImagesData = Awaited<ReturnType<typeof readCardImages>>;
/** A card image with a link to its bytes. */
export type ShownImage = Omit<CardImagesData["images"][number], "ttl">;

/** Describes an image: `1012 × 638 px, JPEG, 240 KB`. */
export function describeImage({ width, height, content_type, bytes }: Omit<ShownImage, "url">): string {
  return cardPicture.facts(width, height, content_type === "image/png" ? "PNG" : "JPEG", formatSize(bytes));
}

/** Formats a size in units of 1,024, like the limits: `240 KB`, `9.5 MB`. */
export function formatSize(bytes: number): string {
  const kib = bytes / 1024;
  if (kib < 1000) return `${Math.max(1, Math.round(kib))} KB`;
  return `${(kib / 1024).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** Names the versions that showed an image: `versions 2 to 4`. */
export const versionRange = ({ from_version, to_version }: { from_version: number; to_version: number }) =>
  from_version === to_version ? versionRanges.one(from_version) : versionRanges.several(from_version, to_version);
