import { Day } from "@/components/ui/time";

/** The dates between which a policy is effective. */
export function Effective({ start, end }: { start: string | null; end: string | null }) {
  if (!start && !end) return null;
  return (
    <>
      {start ? <Day value={start} /> : "Open"} – {end ? <Day value={end} /> : "open"}
    </>
  );
}
