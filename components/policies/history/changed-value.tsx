import type { ReactNode } from "react";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { ADDED, REMOVED } from "./change-classes";
import { FieldValue, isEmpty } from "./field-value";
import type { HistoryField } from "./history-fields";

const LONG = 40;

const changedWords = lazyImport(async () => (await import("./word-diff")).WordDiff);

/** What was there: a minus sign, red, struck through. */
export function Removed({ children, plain = false }: { children: ReactNode; plain?: boolean }) {
  return (
    <Line sign="−" word="Removed">
      {plain ? children : <del className={`rounded px-1 ${REMOVED}`}>{children}</del>}
    </Line>
  );
}

/** What came: a plus sign, green. */
export function Added({ children, plain = false }: { children: ReactNode; plain?: boolean }) {
  return (
    <Line sign="+" word="Added">
      {plain ? children : <ins className={`rounded px-1 ${ADDED}`}>{children}</ins>}
    </Line>
  );
}

function Line({ sign, word, children }: { sign: string; word: string; children: ReactNode }) {
  return (
    <span className="flex gap-1.5">
      <span aria-hidden className={`w-3 shrink-0 text-center font-mono ${sign === "+" ? "text-good" : "text-bad"}`}>
        {sign}
      </span>
      <span className="sr-only">{word}: </span>
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </span>
  );
}

interface Change {
  field: HistoryField;
  old: unknown;
  now: unknown;
}

/** The change of a field in two lines, or in one by word where it is a long text. */
export function UnifiedChange({ field, old, now }: Change) {
  const Words = useLazyImport(changedWords);
  if (Words && field.kind === "text" && isLong(old) && isLong(now)) return <Words old={old} now={now} show="both" />;
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

/** One side of a change: what was, or what came. */
export function SideOfChange({ field, old, now, side }: Change & { side: "old" | "new" }) {
  const Words = useLazyImport(changedWords);
  const value = side === "old" ? old : now;
  if (isEmpty(value)) return <FieldValue field={field} value={value} />;
  const Sign = side === "old" ? Removed : Added;
  if (Words && field.kind === "text" && isLong(old) && isLong(now)) {
    return (
      <Sign plain>
        <Words old={old} now={now} show={side} />
      </Sign>
    );
  }
  return (
    <Sign>
      <FieldValue field={field} value={value} />
    </Sign>
  );
}

/** A text whose change is read better by word. */
function isLong(value: unknown): value is string {
  return typeof value === "string" && (value.length > LONG || value.split(" ").length > 3);
}
