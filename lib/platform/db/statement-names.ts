import { createHash } from "node:crypto";
import { property } from "@/lib/platform/objects";

/** PostgreSQL itself looks at five runs of a statement before it settles on one plan for all. */
const USES_BEFORE = 5;
/** A named statement takes memory on every connection: more than the program has by far, and a bound for what clients vary. */
const MOST_NAMES = 300;
const MOST_COUNTED = 2_000;

const names = new Map<string, string>();
/** By name, not by text: lists with many filters have texts of several kilobytes. */
const uses = new Map<string, number>();
const unnamed = new Set<string>();

/**
 * The name under which connections prepare a statement, or undefined where it is not worth one. Planning is most of what
 * a short statement costs PostgreSQL, and a named one is planned once a connection instead of every time: that makes a
 * policy three times as cheap to read. The name follows from the text, as copies of this module share their connections.
 */
export function statementName(text: string): string | undefined {
  const name = names.get(text);
  if (name !== undefined || names.size >= MOST_NAMES || unnamed.has(text)) return name;
  const given = createHash("sha256").update(text).digest("base64url");
  const count = (uses.get(given) ?? 0) + 1;
  if (count <= USES_BEFORE) {
    if (uses.size >= MOST_COUNTED) uses.clear();
    uses.set(given, count);
    return undefined;
  }
  uses.delete(given);
  names.set(text, given);
  return given;
}

/**
 * Whether a statement failed only because it was prepared: a migration changed the columns it reads, or the connection no
 * longer knows it. It runs without a name from then on.
 */
export function isStaleStatement(text: string, error: unknown): boolean {
  const code = property(error, "code");
  const stale = code === "26000" || (code === "0A000" && property(error, "routine") === "RevalidateCachedQuery");
  if (!stale) return false;
  names.delete(text);
  unnamed.add(text);
  return true;
}
