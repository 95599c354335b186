import { parseUrl } from "@/lib/platform/parse-url";

/** Stands for our origin, which a path of ours does not leave. */
const OWN = "https://own.invalid";

/**
 * A path of ours, in the form a Location header takes; anything else could lead a person who has just signed in to somebody
 * else's page, and is `/`. A browser reads a path as URL does: with `\` as `/`, and without tabs and line ends.
 */
export function ownPath(to: unknown): string {
  const url = typeof to === "string" && to.startsWith("/") ? parseUrl(to, OWN) : null;
  if (!url) return "/";
  const { origin, pathname, search, hash } = url;
  const path = pathname + search + hash;
  return origin === OWN && !/^\/[/\\]/.test(path) ? path : "/";
}
