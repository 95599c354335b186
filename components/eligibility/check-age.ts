import { VERIFIED_DAYS } from "@/lib/insurance/patients/verified-days";

const DAY_MS = 86_400_000;

/**
 * Returns how old a check is.
 *
 * @param checked ISO 8601
 * @param now milliseconds since 1970; null on the server, which does not know when the page will be read
 */
export function checkAge(checked: string, now: number | null): "today" | "recent" | "old" {
  const days = now === null ? 1 : (now - Date.parse(checked)) / DAY_MS;
  if (days < 1) return "today";
  return days < VERIFIED_DAYS ? "recent" : "old";
}
