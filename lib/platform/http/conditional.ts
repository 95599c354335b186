import { VersionConflictError } from "@/lib/platform/errors";
import { BadRequestError } from "./errors";

/** Returns the ETag of a version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Parses If-Match (RFC 9110 §13.1.1). Weak and unknown tags match no version. */
export function parseIfMatch(header: string | null): IfMatch {
  if (header === null) return null;
  if (header.trim() === "*") return "*";
  const tags = header.split(",").map((tag) => tag.trim());
  if (tags.some((tag) => !/^(W\/)?"[^"]*"$/.test(tag))) {
    throw new BadRequestError("invalid_if_match", 'If-Match: not a list of entity tags such as "3".');
  }
  return tags.flatMap((tag) => (/^"\d{1,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));
}

/** Rejects If-Match on a write that has no version to compare it with. Ignoring it would suggest that it was checked. */
export function rejectIfMatch(header: string | null): void {
  if (header === null) return;
  throw new BadRequestError(
    "if_match_not_offered",
    "If-Match is not supported: this request does not change a single record that has an ETag.",
  );
}

/** Returns whether If-None-Match names this version or `*`, so that a GET returns 304 (RFC 9110 §13.1.2). */
export function matchesVersion(header: string | null, version: number): boolean {
  return matchesEtag(header, etagOf(version));
}

/** Does the same for a strong or weak tag that is not a version. */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.split(",").some((tag) => opaque(tag) === opaque(etag));
}

/** Returns whether Accept-Encoding allows gzip, by name or as `*`, with a weight above 0 (RFC 9110 §12.5.3). */
export function acceptsGzip(header: string | null): boolean {
  const codings = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.replaceAll(/\s/g, "").split(";q="));
  const named = codings.find(([name]) => name === "gzip") ?? codings.find(([name]) => name === "*");
  return named !== undefined && Number(named[1] ?? 1) > 0;
}

/** A parsed If-Match: `*`, one of these versions, or null without the header. */
export type IfMatch = "*" | readonly number[] | null;

/** Rejects a write on an older version (412). Call it in the transaction, with the version of the locked record. */
export function requireVersion(ifMatch: IfMatch, currentVersion: number): void {
  if (ifMatch === null || ifMatch === "*" || ifMatch.includes(currentVersion)) return;
  throw new VersionConflictError(currentVersion);
}
