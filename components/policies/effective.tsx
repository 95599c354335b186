import { Day } from "@/components/ui/time";
import { coverageDates as text } from "./messages/at-a-glance";

/** Shows the dates between which a policy is effective. */
export function Effective({ start, end }: { start: string | null; end: string | null }) {
  if (!start && !end) return null;
  if (!start) return text.until(end && <Day value={end} />);
  const from = <Day value={start} />;
  return end ? text.range(from, <Day value={end} />) : text.since(from);
}
