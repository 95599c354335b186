import { useNow } from "@/components/ui/now";
import { useServerDay, useZone } from "@/components/ui/time";
import { dayOf } from "@/components/ui/zone-time";

/** Returns today's date (`YYYY-MM-DD`) in the practice's time zone. */
export function useToday(): string {
  const zone = useZone();
  const serverDay = useServerDay();
  const now = useNow();
  // Hydration must render what the server has rendered, even if a new day has begun since.
  return now === null ? serverDay : dayOf(now, zone);
}

/** Returns whether a policy's coverage has ended. It still covers the termination date itself. */
export function hasEnded({ end_date }: { end_date: string | null }, today: string): boolean {
  return end_date !== null && end_date < today;
}
