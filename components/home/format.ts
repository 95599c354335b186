import { otherPractices as text } from "./messages/practice";

/** Formats a share as a percentage, rounded down so that only the whole is 100%: 999 of 1,000 is `99%`. */
export function formatPercent(part: number, whole: number): string {
  return `${whole === 0 ? 100 : Math.floor((100 * part) / whole)}%`;
}

/** Formats the distance to a day: `in 12 days`, `today`, `386 days ago`. */
export function formatDistance(days: number): string {
  if (days === 0) return text.today;
  return days > 0 ? text.inDays(days) : text.daysAgo(-days);
}
