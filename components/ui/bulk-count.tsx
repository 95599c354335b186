import { pluralize } from "./format";

interface BulkCountProps {
  /** How many are retried now. */
  selected: number;
  /** How many match in total. */
  total: number;
  /** Follows the count: `selected. Delivered events are skipped.` */
  text: string;
  /** Shown if no event can be retried. */
  none: string;
}

/** Says before a bulk retry how many events it retries, and how many it leaves for another one. */
export function BulkCount({ selected, total, text, none }: BulkCountProps) {
  if (selected === 0) return <p>{none}</p>;
  return (
    <>
      <p>
        <strong>{pluralize(selected, "event")}</strong> {text}
      </p>
      {total > selected && (
        <p className="text-soft mt-1">
          {pluralize(total, "event")} match in total. The oldest {pluralize(selected, "event")} are retried now. Retry
          again for the rest.
        </p>
      )}
    </>
  );
}
