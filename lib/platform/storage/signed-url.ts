import { z } from "zod";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { sign, verifySignature } from "@/lib/platform/signing";

/** Makes a link to a card image that works without a token for `ttl` seconds. */
export function signedImageUrl(key: string, base: URL): { url: string; ttl: number } {
  return signedLink("card-image", { path: "card_images", key, base });
}

/** Makes such a link to a file of a record. */
export function signedFileUrl(fileId: number, base: URL): { url: string; ttl: number } {
  return signedLink("file", { path: "files", key: String(fileId), base });
}

/** The query of a signed link. Invalid values make the link invalid instead of causing a 400. */
export const signedLinkQuery = {
  expires: z.coerce
    .number()
    .int()
    .min(0)
    .catch(0)
    .describe("When the link expires, in seconds since 1970. Part of the link."),
  signature: z.string().max(100).catch("").describe("Signature of the link. Part of the link."),
};

interface SignedLink {
  key: string;
  expires: number;
  signature: string;
}

/** `expired` includes links without a signature. `forged` links have an invalid signature. */
export type LinkState = "valid" | "expired" | "forged";

/** Returns whether a link to a card image is valid. */
export function imageLinkState(link: SignedLink): LinkState {
  return linkState("card-image", link);
}

/** Returns whether a link to a file is valid. */
export function fileLinkState(link: SignedLink): LinkState {
  return linkState("file", link);
}

function signedLink(
  purpose: "card-image" | "file",
  { path, key, base }: { path: string; key: string; base: URL },
): { url: string; ttl: number } {
  const ttl = config().CARD_IMAGE_URL_TTL_SECONDS;
  const expires = Math.floor(clock.now().getTime() / 1000) + ttl;
  const url = new URL(`/api/2.0/${path}/${key}`, base);
  url.searchParams.set("expires", String(expires));
  url.searchParams.set("signature", sign(purpose, `${key} ${expires}`));
  return { url: url.href, ttl };
}

function linkState(purpose: "card-image" | "file", { key, expires, signature }: SignedLink): LinkState {
  if (signature === "") return "expired";
  if (!verifySignature(purpose, `${key} ${expires}`, signature)) return "forged";
  return expires >= Math.floor(clock.now().getTime() / 1000) ? "valid" : "expired";
}
