import { pluralize } from "@/components/ui/format";

/** A share as whole percents, never rounded up to all of it: `99 %` of 999 in 1,000. */
export function formatPercent(part: number, whole: number): string {
  return `${whole === 0 ? 100 : Math.floor((100 * part) / whole)} %`;
}

/** How far a day is: `in 12 days`, `today`, `386 days ago`. */
export function formatDistance(days: number): string {
  if (days === 0) return "today";
  return days > 0 ? `in ${pluralize(days, "day")}` : `${pluralize(-days, "day")} ago`;
}
