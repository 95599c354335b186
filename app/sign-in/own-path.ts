import { parseUrl } from "@/lib/platform/parse-url";

/** A placeholder origin: a path that resolves to another origin is not ours. */
const OWN = "https://own.invalid";

/**
 * Returns `to` if it is a path on this site, ready for a Location header, and `/` otherwise. This keeps sign-in from
 * redirecting to another site. Browsers parse paths like `URL` does: `\` counts as `/`, and tabs and line breaks are dropped.
 */
export function ownPath(to: unknown): string {
  const url = typeof to === "string" && to.startsWith("/") ? parseUrl(to, OWN) : null;
  if (!url) return "/";
  const { origin, pathname, search, hash } = url;
  const path = pathname + search + hash;
  return origin === OWN && !/^\/[/\\]/.test(path) ? path : "/";
}
