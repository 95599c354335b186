import type { ColumnDef } from "@tanstack/react-table";
import { Input } from "./controls";

/**
 * Returns a column of checkboxes that select rows.
 *
 * @param rowName names a row for screen readers: `event 12`
 */
export function selectionColumn<T>(rowName: (row: T) => string): ColumnDef<T> {
  return {
    id: "selection",
    meta: { className: "w-8 pr-0" },
    header: ({ table }) => (
      <label className="inline-grid size-6 place-items-center">
        <Input
          type="checkbox"
          aria-label="Select all on this page"
          className="accent-accent size-4"
          checked={table.getIsAllRowsSelected()}
          ref={(box) => {
            if (box) box.indeterminate = table.getIsSomeRowsSelected();
          }}
          onChange={table.getToggleAllRowsSelectedHandler()}
        />
      </label>
    ),
    cell: ({ row }) => (
      <label className="inline-grid size-6 place-items-center">
        <Input
          type="checkbox"
          aria-label={`Select ${rowName(row.original)}`}
          className="accent-accent size-4"
          checked={row.getIsSelected()}
          onChange={row.getToggleSelectedHandler()}
        />
      </label>
    ),
  };
}
