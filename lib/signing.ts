import { createHmac, timingSafeEqual } from "node:crypto";
import { config } from "@/lib/config";

/** What a signature is for: one made for a cursor is worthless for an image. */
type Purpose = "cursor" | "card-image" | "file" | "imported-card" | "staff-session" | "wrong-password" | "ccda-root";

/** A keyed signature of a text (HMAC-SHA256 with the installation's secret), base64url. */
export function sign(purpose: Purpose, text: string): string {
  return createHmac("sha256", config().SECRET_KEY).update(`${purpose}\n${text}`).digest("base64url");
}

/** Whether `signature` is ours for this text; compared in constant time. */
export function isSigned(purpose: Purpose, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(purpose, text));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
