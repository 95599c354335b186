import { clock } from "@/lib/clock";
import { config } from "@/lib/config";
import { isSigned, sign } from "@/lib/signing";

/** A link to a card image that needs no token and lives `ttl` seconds (design §5). */
export function signedImageUrl(key: string, base: URL): { url: string; ttl: number } {
  const ttl = config().CARD_IMAGE_URL_TTL_SECONDS;
  const expires = Math.floor(clock.now().getTime() / 1000) + ttl;
  const url = new URL(`/api/2.0/card_images/${key}`, base);
  url.searchParams.set("expires", String(expires));
  url.searchParams.set("signature", sign("card-image", `${key} ${expires}`));
  return { url: url.href, ttl };
}

/** Whether a link is ours and still lives. */
export function isValidImageLink(link: { key: string; expires: number; signature: string }): boolean {
  const alive = link.expires >= Math.floor(clock.now().getTime() / 1000);
  return alive && isSigned("card-image", `${link.key} ${link.expires}`, link.signature);
}
