import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { RouteEntry } from "@/lib/platform/http/route";
import { describeApi } from "./document";

export interface DescriptionText {
  /** The description as JSON. */
  text: string;
  /** The same by gzip: a tenth as long. */
  gzipped: Uint8Array;
  /** A weak one, of both: another as soon as a declaration is another. */
  etag: string;
}

const made = new WeakMap<readonly RouteEntry[], DescriptionText>();

/** The description of the API as it is sent. Made when somebody first asks for it, and kept as long as the process. */
export function toDescriptionText(entries: readonly RouteEntry[]): DescriptionText {
  const kept = made.get(entries);
  if (kept) return kept;
  const text = JSON.stringify(describeApi(entries));
  const hash = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  const description = { text, gzipped: gzipSync(text), etag: `W/"${hash}"` };
  made.set(entries, description);
  return description;
}
