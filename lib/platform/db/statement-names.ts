import { createHash } from "node:crypto";
import { property } from "@/lib/platform/objects";

/** PostgreSQL also runs a statement five times before it settles on a generic plan. */
const USES_BEFORE = 5;
/** Bounds the memory of every connection, because clients vary the text of some statements. The program itself has far fewer. */
const MAX_NAMES = 300;
const MAX_COUNTED = 2_000;

const names = new Map<string, string>();
/** By name, because the text of a list with many filters has several kilobytes. */
const uses = new Map<string, number>();
const unnamed = new Set<string>();

/**
 * Returns the name under which connections prepare a statement, or undefined if it is used too rarely. A named statement is planned once
 * per connection instead of every time, which makes reading a policy three times as cheap. The name is a hash of the text, because copies
 * of this module share connections.
 */
export function statementName(text: string): string | undefined {
  const name = names.get(text);
  if (name !== undefined || names.size >= MAX_NAMES || unnamed.has(text)) return name;
  const hash = createHash("sha256").update(text).digest("base64url");
  const count = (uses.get(hash) ?? 0) + 1;
  if (count <= USES_BEFORE) {
    if (uses.size >= MAX_COUNTED) uses.clear();
    uses.set(hash, count);
    return undefined;
  }
  uses.delete(hash);
  names.set(text, hash);
  return hash;
}

/**
 * Returns whether a statement failed only because it was prepared: a migration changed its columns, or the connection no longer knows it.
 * From then on, it runs without a name.
 */
export function isStaleStatement(text: string, error: unknown): boolean {
  const code = property(error, "code");
  const isStale = code === "26000" || (code === "0A000" && property(error, "routine") === "RevalidateCachedQuery");
  if (!isStale) return false;
  names.delete(text);
  unnamed.add(text);
  return true;
}
