import type { ReactNode } from "react";
import { comparison as text } from "../messages/history";
import { SideOfChange, UnifiedChange } from "./changed-value";
import type { ComparedField } from "./difference";
import { DifferenceRow, ValueCell } from "./difference-row";
import { FieldValue, isEmpty } from "./field-value";
import type { HistoryField } from "./history-fields";

interface FieldRowProps {
  entry: ComparedField;
  isSplit: boolean;
  lastChange: ReactNode;
}

/** Compares a field of two versions. */
export function FieldRow({ entry, isSplit, lastChange }: FieldRowProps) {
  const { field, old, now, changed } = entry;
  return (
    <DifferenceRow label={field.label} changed={changed} lastChange={isEmpty(now) && !changed ? null : lastChange}>
      {isSplit ? (
        <>
          <ValueCell>
            {changed ? (
              <SideOfChange field={field} old={old} now={now} side="old" />
            ) : (
              <UnchangedValue field={field} value={old} />
            )}
          </ValueCell>
          <ValueCell>
            {changed ? (
              <SideOfChange field={field} old={old} now={now} side="new" />
            ) : (
              <UnchangedValue field={field} value={now} />
            )}
          </ValueCell>
        </>
      ) : (
        <ValueCell>
          {changed ? <UnifiedChange field={field} old={old} now={now} /> : <UnchangedValue field={field} value={now} />}
        </ValueCell>
      )}
    </DifferenceRow>
  );
}

function UnchangedValue({ field, value }: { field: HistoryField; value: unknown }) {
  return (
    <span className="text-soft">
      {isEmpty(value) ? (
        <>
          <span aria-hidden>–</span>
          <span className="sr-only">{text.empty}</span>
        </>
      ) : (
        <FieldValue field={field} value={value} />
      )}
    </span>
  );
}
