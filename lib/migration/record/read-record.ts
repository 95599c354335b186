import { createHash } from "node:crypto";
import type { LegacyInsurance, LegacyPatient } from "@/lib/migration/record/schema";

/**
 * From when until when a legacy insurance stood, as history tells it: its own dates, or the nearest that is known.
 *
 * @param now ISO 8601, in UTC; nothing recorded lies after it
 */
export function lifetimeOf(
  entry: LegacyInsurance,
  isCurrent: boolean,
  now: string,
): { from: string; until: string | null } {
  const earliest = (time: string | null | undefined, latest: string) => (time && time < latest ? time : latest);
  const startOf = (day: string | null | undefined) => (day ? `${day}T00:00:00.000Z` : null);
  if (isCurrent) return { from: earliest(entry.created_date ?? startOf(entry.start_date), now), until: null };
  const ended = earliest(entry.deleted_date ?? startOf(entry.end_date), now);
  const from = earliest(entry.created_date ?? startOf(entry.start_date) ?? ended, now);
  return { from, until: ended < from ? from : ended };
}

/** A hash of what was read, whatever the order of its fields and the white space between them. */
export function fingerprintOf(patient: LegacyPatient): string {
  return createHash("sha256").update(canonical(patient)).digest("hex");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, node: unknown) => {
    if (node instanceof Uint8Array) return createHash("sha256").update(node).digest("hex");
    if (typeof node !== "object" || node === null || Array.isArray(node)) return node;
    return Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
