import { z } from "zod";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { sign, verifySignature } from "@/lib/platform/signing";

/** A link to a card image that needs no token and lives `ttl` seconds (design §5). */
export function signedImageUrl(key: string, base: URL): { url: string; ttl: number } {
  return signedLink("card-image", { path: "card_images", key, base });
}

/** The same to a file of a record. */
export function signedFileUrl(fileId: number, base: URL): { url: string; ttl: number } {
  return signedLink("file", { path: "files", key: String(fileId), base });
}

/** The query of a signed link. Whatever is wrong with it, the link names nothing: there is no 400. */
export const signedLinkQuery = {
  expires: z.coerce
    .number()
    .int()
    .min(0)
    .catch(0)
    .describe("Until when the link lives, in seconds since 1970, as the link has it."),
  signature: z.string().max(100).catch("").describe("What makes the link ours, as the link has it."),
};

interface SignedLink {
  key: string;
  expires: number;
  signature: string;
}

/** `dead`: past its time, or without a signature. `forged`: its signature is not ours. */
export type LinkState = "valid" | "dead" | "forged";

/** Whether a link to a card image is ours and still lives. */
export function imageLinkState(link: SignedLink): LinkState {
  return stateOf("card-image", link);
}

/** Whether a link to a file is ours and still lives. */
export function fileLinkState(link: SignedLink): LinkState {
  return stateOf("file", link);
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

function stateOf(purpose: "card-image" | "file", { key, expires, signature }: SignedLink): LinkState {
  if (signature === "") return "dead";
  if (!verifySignature(purpose, `${key} ${expires}`, signature)) return "forged";
  return expires >= Math.floor(clock.now().getTime() / 1000) ? "valid" : "dead";
}
