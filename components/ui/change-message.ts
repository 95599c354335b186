const list = new Intl.ListFormat("en-US");

/** Joins the parts of a change message, without those that do not apply: `renamed A to B and disabled it`. */
export function joinChanges(...parts: (string | false | null | undefined)[]): string {
  return list.format(parts.filter((part) => typeof part === "string"));
}

/** Formats an ISO 8601 time of a change: `2026-11-21 09:41 UTC`. */
export function formatUtc(time: unknown): string {
  return `${String(time).slice(0, 16).replace("T", " ")} UTC`;
}
