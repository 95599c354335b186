"use client";

import {
  type ColumnDef,
  getCoreRowModel,
  type Row,
  type RowSelectionState,
  useReactTable,
} from "@tanstack/react-table";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { classNames } from "./class-names";
import { DataTableHead, renderColumn } from "./data-table-head";
import { DataTableSkeleton } from "./data-table-skeleton";
import { useRowHeight } from "./row-height";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData, TValue> {
    /** Classes of the column's cells. */
    className?: string;
    /** The field that the server sorts by. Without it, the column can't be sorted. */
    sortBy?: string;
  }
}

interface DataTableProps<T extends { id: number }> {
  /** The accessible name. */
  label: string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has its own value type.
  columns: ColumnDef<T, any>[];
  /** undefined while they load. */
  rows: T[] | undefined;
  /** `field` or `-field`. */
  order?: string;
  onOrder?: (order: string) => void;
  /** Called when the user presses Enter on a row. */
  onOpen?: (row: T) => void;
  /** Makes rows selectable. */
  selection?: RowSelectionState | undefined;
  onSelection?: ((selection: RowSelectionState) => void) | undefined;
  empty: ReactNode;
  /** Replaces the rows if they could not be loaded. */
  failure?: ReactNode;
  /** How many rows the skeleton shows. */
  expected?: number;
  /** Whether newer rows are loading. */
  stale?: boolean;
}

// Always the same array: react-table renders again whenever it gets another one.
const NO_ROWS: never[] = [];

/** Renders a table that the server sorts. Arrow keys move between rows, Enter opens a row, Space selects it. */
export function DataTable<T extends { id: number }>(props: DataTableProps<T>) {
  const { label, columns, rows, order, onOrder, onOpen, selection, onSelection, expected = 8, stale } = props;
  const [height] = useRowHeight();
  const rowClass = height === "dense" ? "h-9" : "h-11";
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const table = useReactTable({
    data: rows ?? NO_ROWS,
    // The table has no pages or groups whose state would have to be reset.
    autoResetAll: false,
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: (row) => String(row.id),
    state: selection && { rowSelection: selection },
    enableRowSelection: selection !== undefined,
    onRowSelectionChange: (next) => onSelection?.(typeof next === "function" ? next(selection ?? {}) : next),
  });
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, row: Row<T>) => {
    if (event.target !== event.currentTarget) return;
    const step = STEPS[event.key];
    const all = [...(body.current?.querySelectorAll<HTMLElement>("tr[tabindex]") ?? [])];
    if (step) all[all.indexOf(event.currentTarget) + step]?.focus();
    else if (event.key === "Enter") onOpen?.(row.original);
    else if (event.key === " " && selection) row.toggleSelected();
    else return;
    event.preventDefault();
  };
  const shown = table.getRowModel().rows;
  // Tab reaches one row only: the one that last had focus, or the first.
  const tabStop = shown.some(({ id }) => id === focusedId) ? focusedId : shown[0]?.id;
  const placeholder = rows === undefined ? props.failure : rows.length === 0 && props.empty;
  if (placeholder) return <div className="border-line bg-raised rounded-md border">{placeholder}</div>;
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border lg:overflow-x-visible">
      <table
        aria-label={label}
        aria-busy={rows === undefined || undefined}
        className={classNames("w-full border-collapse transition-opacity", stale && "opacity-60")}
      >
        <DataTableHead table={table} order={order} onOrder={onOrder} />
        <tbody ref={body}>
          {rows === undefined ? (
            <DataTableSkeleton rows={expected} cells={columns.length} className={rowClass} />
          ) : (
            shown.map((row) => (
              <tr
                key={row.id}
                tabIndex={row.id === tabStop ? 0 : -1}
                aria-selected={selection ? row.getIsSelected() : undefined}
                onKeyDown={(event) => onKeyDown(event, row)}
                onFocus={(event) => {
                  setFocusedId(row.id);
                  if (event.target === event.currentTarget) event.currentTarget.scrollIntoView({ block: "nearest" });
                }}
                className={classNames(
                  "border-line border-b last:border-0 hover:bg-sunken focus-visible:-outline-offset-2",
                  rowClass,
                  row.getIsSelected() && "bg-accent-soft",
                )}
              >
                {row.getVisibleCells().map((cell) => (
                  <td
                    key={cell.id}
                    className={classNames("px-3 py-1.5 align-middle", cell.column.columnDef.meta?.className)}
                  >
                    {renderColumn(cell.column.columnDef.cell, cell.getContext())}
                  </td>
                ))}
              </tr>
            ))
          )}
        </tbody>
      </table>
    </div>
  );
}

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
