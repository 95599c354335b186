import { useNow } from "@/components/ui/now";
import { useZone } from "@/components/ui/time";
import { dayOf } from "@/components/ui/zone-time";

/** Returns today's date (`YYYY-MM-DD`) in the practice's time zone. */
export function useToday(): string {
  const zone = useZone();
  const now = useNow();
  return dayOf(now ?? Date.now(), zone);
}

/** Returns whether a policy's coverage has ended. It still covers the termination date itself. */
export function hasEnded({ end_date }: { end_date: string | null }, today: string): boolean {
  return end_date !== null && end_date < today;
}
