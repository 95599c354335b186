import { pluralize } from "./format";

interface BulkCountProps {
  /** How many are retried now. */
  agreed: number;
  /** How many fit in all. */
  total: number;
  /** What is said of them: `selected. Those that were applied are left alone.` */
  words: string;
  /** Said where there are none. */
  none: string;
}

/** What a bulk retry is about to do, before it begins: to how many, and how many are left for another one. */
export function BulkCount({ agreed, total, words, none }: BulkCountProps) {
  if (agreed === 0) return <p>{none}</p>;
  return (
    <>
      <p>
        <strong>{pluralize(agreed, "event")}</strong> {words}
      </p>
      {total > agreed && (
        <p className="text-soft mt-1">
          {pluralize(total, "event")} match in all. The oldest {pluralize(agreed, "event")} are retried now, the others
          by another retry.
        </p>
      )}
    </>
  );
}
