import type { IfMatch } from "@/lib/history/version";
import { BadRequestError } from "./errors";

/** The ETag of a versioned record. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/** Reads If-Match (RFC 9110 §13.1.1). A weak tag or one that is none of ours matches no version. */
export function parseIfMatch(header: string | null): IfMatch {
  if (header === null) return null;
  if (header.trim() === "*") return "*";
  const tags = header.split(",").map((tag) => tag.trim());
  if (tags.some((tag) => !/^(W\/)?"[^"]*"$/.test(tag))) {
    throw new BadRequestError("invalid_if_match", 'If-Match: not a list of entity tags such as "3".');
  }
  return tags.flatMap((tag) => (/^"\d{1,9}"$/.test(tag) ? [Number(tag.slice(1, -1))] : []));
}

/** Whether If-None-Match names the present version, or any (`*`), so that a GET may answer 304 (RFC 9110 §13.1.2). */
export function isUnchanged(header: string | null, version: number): boolean {
  if (header === null) return false;
  if (header.trim() === "*") return true;
  return header.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etagOf(version));
}
