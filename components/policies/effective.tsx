import { Day } from "@/components/ui/time";

/** Shows the dates between which a policy is effective. */
export function Effective({ start, end }: { start: string | null; end: string | null }) {
  if (!start && !end) return null;
  if (!start) return <>Until {end && <Day value={end} />}</>;
  return (
    <>
      <Day value={start} /> – {end ? <Day value={end} /> : "present"}
    </>
  );
}
