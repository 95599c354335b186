import { dateFormat } from "@/lib/platform/date-format";

const list = new Intl.ListFormat("en-US");

/** Joins the parts of a change message, without those that do not apply: `renamed A to B and disabled it`. */
export function joinChanges(...parts: (string | false | null | undefined)[]): string {
  return list.format(parts.filter((part) => typeof part === "string"));
}

/** Formats an ISO 8601 time of a change: `Nov 21, 2026, 9:41 AM UTC`. */
export function formatUtc(time: unknown): string {
  const options = { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" } as const;
  return `${dateFormat("en-US", options).format(new Date(String(time)))} UTC`;
}

/** Formats a calendar date of a change (`YYYY-MM-DD`): `Nov 21, 2026`. */
export function formatDay(day: unknown): string {
  return dateFormat("en-US", { dateStyle: "medium", timeZone: "UTC" }).format(new Date(`${day}T00:00:00Z`));
}
