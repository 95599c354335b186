import type { RecordChange } from "@/lib/access/history/staff-queries";
import { Time } from "./time";

/** Who changed something, when and why; the newest first. */
export function ChangeList({
  label,
  changes,
  say,
  none,
}: {
  label: string;
  changes: readonly RecordChange[];
  /** What a change did, in words. */
  say: (change: RecordChange) => string;
  /** Instead, where nothing was changed yet. */
  none: string;
}) {
  if (changes.length === 0) return <p className="text-soft">{none}</p>;
  return (
    <ol aria-label={label} className="border-line bg-raised divide-line divide-y rounded-md border">
      {changes.map((change) => (
        <li key={`${change.record_id} ${change.version}`} className="grid gap-x-4 px-3 py-2 sm:grid-cols-[1fr_auto]">
          <p className="min-w-0">
            <span className="font-medium">{change.actor.name}</span> {say(change)}
          </p>
          <p className="text-soft text-sm sm:text-right">
            <Time value={change.occurred_date} />
          </p>
          {change.reason && <p className="text-soft min-w-0 sm:col-span-2">“{change.reason}”</p>}
        </li>
      ))}
    </ol>
  );
}
