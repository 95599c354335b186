"use client";

import { type KeyboardEvent, type MouseEvent, type ReactNode, useRef, useState } from "react";
import { classNames } from "./class-names";
import { DataTableHead } from "./data-table-head";
import { DataTableSkeleton } from "./data-table-skeleton";
import { useRowHeight } from "./row-height";
import { type Selectable, selectionColumn, toggleRows } from "./selection-column";
import { useRowKeys } from "./use-row-keys";

export interface Column<T> {
  /** Unique within the table. */
  id: string;
  header: ReactNode;
  /** Classes of the header and the cells. */
  className?: string;
  /** The field that the server sorts by. Without it, the column can't be sorted. */
  sortBy?: string;
  cell: (row: T) => ReactNode;
}

interface DataTableProps<T extends { id: number }> {
  /** The accessible name. */
  label: string;
  columns: readonly Column<T>[];
  /** undefined while they load. */
  rows: T[] | undefined;
  /** `field` or `-field`. */
  order?: string;
  onOrder?: (order: string) => void;
  /** Called when the user clicks a row, or presses Enter on it. */
  onOpen?: (row: T) => void;
  /** Makes rows selectable. */
  selectable?: Selectable<T> | false;
  empty: ReactNode;
  /** Replaces the rows if they could not be loaded. */
  failure?: ReactNode;
  /** How many rows the skeleton shows. */
  expected?: number;
  /** Whether newer rows are loading. */
  stale?: boolean;
}

/** Renders a table that the server sorts. Arrow keys move between rows, Enter opens a row, Space selects it. */
export function DataTable<T extends { id: number }>(props: DataTableProps<T>) {
  const { label, rows, order, onOrder, onOpen, selectable, expected = 8, stale } = props;
  const [height] = useRowHeight();
  const rowClass = height === "dense" ? "h-9" : "h-11";
  const [focusedId, setFocusedId] = useState<number | null>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  useRowKeys(body);
  const shown = rows ?? [];
  const isSelected = ({ id }: T) => (selectable ? selectable.selection.has(id) : undefined);
  const columns = selectable ? [selectionColumn(selectable, shown), ...props.columns] : props.columns;
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, row: T) => {
    if (event.target !== event.currentTarget) return;
    const step = STEPS[event.key];
    const all = [...(body.current?.querySelectorAll<HTMLElement>("tr[tabindex]") ?? [])];
    if (step) all[all.indexOf(event.currentTarget) + step]?.focus();
    else if (event.key === "Enter") onOpen?.(row);
    else if (event.key === " " && selectable) toggleRows(selectable, [row], !isSelected(row));
    else return;
    event.preventDefault();
  };
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
        <DataTableHead columns={columns} order={order} onOrder={onOrder} />
        <tbody ref={body}>
          {rows === undefined ? (
            <DataTableSkeleton rows={expected} cells={columns.length} className={rowClass} />
          ) : (
            shown.map((row) => (
              <tr
                key={row.id}
                tabIndex={row.id === tabStop ? 0 : -1}
                aria-selected={isSelected(row)}
                onClick={(event) => onOpen && isPlainClick(event) && onOpen(row)}
                onKeyDown={(event) => onKeyDown(event, row)}
                onFocus={(event) => {
                  setFocusedId(row.id);
                  if (event.target === event.currentTarget) event.currentTarget.scrollIntoView({ block: "nearest" });
                }}
                className={classNames(
                  "border-line border-b last:border-0 hover:bg-sunken focus-visible:-outline-offset-2",
                  rowClass,
                  onOpen && "cursor-pointer",
                  isSelected(row) && "bg-accent-soft",
                )}
              >
                {columns.map(({ id, className, cell }) => (
                  <td key={id} className={classNames("px-3 py-1.5 align-middle", className)}>
                    {cell(row)}
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

/** Returns whether a click is meant for the row, and not for a control in it or to select text. */
function isPlainClick(event: MouseEvent<HTMLTableRowElement>): boolean {
  const target = event.target as Element;
  // React also reports clicks in a dialog that the row has opened.
  if (!event.currentTarget.contains(target) || event.defaultPrevented) return false;
  return !target.closest("a, button, input, label, select, summary") && (window.getSelection()?.isCollapsed ?? true);
}

const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
