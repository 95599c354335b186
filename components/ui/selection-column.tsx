import { Input } from "./controls";
import type { Column } from "./data-table";
import { table as text } from "./messages/lists";

/** Rows that can be selected by their IDs. They stay selected while another page is shown. */
export interface Selectable<T> {
  selection: ReadonlySet<number>;
  onSelection: (selection: ReadonlySet<number>) => void;
  /** Names a row for screen readers: `event 12`. */
  rowName: (row: T) => string;
}

/** Selects or clears these rows, and leaves the others as they are. */
export function toggleRows<T extends { id: number }>(
  { selection, onSelection }: Selectable<T>,
  rows: readonly T[],
  isSelected: boolean,
): void {
  const toggled = new Set(rows.map(({ id }) => id));
  onSelection(
    isSelected ? new Set([...selection, ...toggled]) : new Set([...selection].filter((id) => !toggled.has(id))),
  );
}

/** Returns a column of checkboxes that select rows. The one in the header selects all rows of the page. */
export function selectionColumn<T extends { id: number }>(selectable: Selectable<T>, rows: readonly T[]): Column<T> {
  const { selection, rowName } = selectable;
  const count = rows.filter(({ id }) => selection.has(id)).length;
  return {
    id: "selection",
    className: "w-8 pr-0",
    header: (
      <Checkbox
        label={text.selectPage}
        checked={count > 0 && count === rows.length}
        indeterminate={count > 0 && count < rows.length}
        onChange={(isSelected) => toggleRows(selectable, rows, isSelected)}
      />
    ),
    cell: (row) => (
      <Checkbox
        label={text.selectRow(rowName(row))}
        checked={selection.has(row.id)}
        onChange={(isSelected) => toggleRows(selectable, [row], isSelected)}
      />
    ),
  };
}

interface CheckboxProps {
  label: string;
  checked: boolean;
  indeterminate?: boolean;
  onChange: (checked: boolean) => void;
}

function Checkbox({ label, checked, indeterminate = false, onChange }: CheckboxProps) {
  return (
    <label className="inline-grid size-6 place-items-center">
      <Input
        type="checkbox"
        aria-label={label}
        className="accent-accent size-4"
        checked={checked}
        ref={(box) => {
          if (box) box.indeterminate = indeterminate;
        }}
        onChange={(event) => onChange(event.target.checked)}
      />
    </label>
  );
}
