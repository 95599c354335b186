import { rankLabel } from "@/components/policies/fields";
import { classNames } from "@/components/ui/class-names";

/** Shows a rank as a number and a word. */
export function RankMark({ rank }: { rank: number | null }) {
  return (
    <div className="flex w-16 shrink-0 flex-col items-center gap-0.5">
      <span
        aria-hidden
        className={classNames(
          "grid size-8 place-items-center rounded-md text-base font-semibold",
          rank === 1 ? "bg-accent text-on-accent" : rank ? "bg-accent-soft text-accent-strong" : "bg-sunken text-soft",
        )}
      >
        {rank ?? "–"}
      </span>
      <span className="text-sm font-medium">{rankLabel(rank)}</span>
    </div>
  );
}
