import type { ReactNode } from "react";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { comparison as text } from "../messages/history";
import { ADDED, REMOVED } from "./change-classes";
import { FieldValue, isEmpty } from "./field-value";
import type { HistoryField } from "./history-fields";

const MIN_LONG = 40;

const wordDiff = lazyImport(async () => (await import("./word-diff")).WordDiff);

/** Shows a former value: red and struck through, with a minus sign. */
export function Removed({ children, plain = false }: { children: ReactNode; plain?: boolean }) {
  return (
    <Line sign="−" label={text.removed}>
      {plain ? children : <del className={`rounded px-1 ${REMOVED}`}>{children}</del>}
    </Line>
  );
}

/** Shows a new value: green, with a plus sign. */
export function Added({ children, plain = false }: { children: ReactNode; plain?: boolean }) {
  return (
    <Line sign="+" label={text.added}>
      {plain ? children : <ins className={`rounded px-1 ${ADDED}`}>{children}</ins>}
    </Line>
  );
}

function Line({ sign, label, children }: { sign: string; label: string; children: ReactNode }) {
  return (
    <span className="flex gap-1.5">
      <span aria-hidden className={`w-3 shrink-0 text-center font-mono ${sign === "+" ? "text-good" : "text-bad"}`}>
        {sign}
      </span>
      <span className="sr-only">{label} </span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </span>
  );
}

interface Change {
  field: HistoryField;
  old: unknown;
  now: unknown;
}

/** Shows the old and the new value below each other, or a long text once with its changed words marked. */
export function UnifiedChange({ field, old, now }: Change) {
  const WordDiff = useLazyImport(wordDiff);
  if (WordDiff && field.kind === "text" && isLong(old) && isLong(now))
    return <WordDiff old={old} now={now} show="both" />;
  return (
    <>
      {!isEmpty(old) && (
        <Removed>
          <FieldValue field={field} value={old} />
        </Removed>
      )}
      {!isEmpty(now) && (
        <Added>
          <FieldValue field={field} value={now} />
        </Added>
      )}
    </>
  );
}

/** Shows the old or the new value. */
export function SideOfChange({ field, old, now, side }: Change & { side: "old" | "new" }) {
  const WordDiff = useLazyImport(wordDiff);
  const value = side === "old" ? old : now;
  if (isEmpty(value)) return <FieldValue field={field} value={value} />;
  const Sign = side === "old" ? Removed : Added;
  if (WordDiff && field.kind === "text" && isLong(old) && isLong(now)) {
    return (
      <Sign plain>
        <WordDiff old={old} now={now} show={side} />
      </Sign>
    );
  }
  return (
    <Sign>
      <FieldValue field={field} value={value} />
    </Sign>
  );
}

/** Returns whether a string is long enough to compare word by word. */
function isLong(value: unknown): value is string {
  return typeof value === "string" && (value.length > MIN_LONG || value.split(" ").length > 3);
}
