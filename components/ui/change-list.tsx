import type { RecordChange } from "@/lib/access/history/queries";
import { Time } from "./time";

interface ChangeListProps {
  label: string;
  changes: readonly RecordChange[];
  /** Describes a change, after the name of who made it: `turned Insurance Versioning on`. */
  describe: (change: RecordChange) => string;
  /** Shown if there are no changes. */
  none: string;
}

/** Lists who changed something, when and why, newest first. */
export function ChangeList({ label, changes, describe, none }: ChangeListProps) {
  if (changes.length === 0) return <p className="text-soft">{none}</p>;
  return (
    <ol aria-label={label} className="border-line bg-raised divide-line divide-y rounded-md border">
      {changes.map((change) => (
        <li key={`${change.record_id} ${change.version}`} className="grid gap-x-4 px-3 py-2 sm:grid-cols-[1fr_auto]">
          <p className="min-w-0">
            <span className="font-medium">{change.actor.name}</span> {describe(change)}
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
