"use client";

import { type ColumnDef, getCoreRowModel, type RowSelectionState, useReactTable } from "@tanstack/react-table";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { classNames } from "./class-names";
import { useRowHeight } from "./row-height";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData, TValue> {
    /** Of its cells. */
    className?: string;
    /** Field of the server's order; without it the column can't be sorted by. */
    sortBy?: string;
  }
}

interface DataTableProps<T extends { id: number }> {
  /** What the table is of, for those who hear it. */
  label: string;
  // biome-ignore lint/suspicious/noExplicitAny: each column has its own value.
  columns: ColumnDef<T, any>[];
  /** undefined while they are on their way: rows are drawn as shapes. */
  rows: readonly T[] | undefined;
  /** `field` or `-field`. */
  order?: string;
  onOrder?: (order: string) => void;
  /** Where Enter on a row leads. */
  onOpen?: (row: T) => void;
  selection?: RowSelectionState;
  onSelection?: (selection: RowSelectionState) => void;
  empty: ReactNode;
  /** In the rows' place where they could not be read. */
  failure?: ReactNode;
  /** Rows shown while none are there yet. */
  expected?: number;
  /** Newer rows are on their way; these are the last known. */
  stale?: boolean;
}

/** The same list each time: to the table another one is news, and it would never come to rest. */
const NONE: readonly never[] = [];

/**
 * Rows of one kind. Sorting is the server's; arrow keys move between rows, Enter opens one, the space bar selects it.
 */
export function DataTable<T extends { id: number }>(props: DataTableProps<T>) {
  const { label, columns, rows, order, onOrder, onOpen, selection, onSelection, expected = 8, stale } = props;
  const [height] = useRowHeight();
  const rowLook = height === "dense" ? "h-9" : "h-11";
  const [visited, setVisited] = useState<string | null>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const table = useReactTable({
    data: (rows ?? NONE) as T[],
    // Of pages and folds of its own, which it has not: each time it would draw itself anew.
    autoResetAll: false,
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: (row) => String(row.id),
    ...(selection && { state: { rowSelection: selection } }),
    enableRowSelection: selection !== undefined,
    onRowSelectionChange: (next) => onSelection?.(typeof next === "function" ? next(selection ?? {}) : next),
  });
  const move = (event: KeyboardEvent<HTMLTableRowElement>, row: (typeof shown)[number]) => {
    if (event.target !== event.currentTarget) return;
    const step =
      event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0;
    const all = [...(body.current?.querySelectorAll<HTMLElement>("tr[tabindex]") ?? [])];
    if (step !== 0) all[all.indexOf(event.currentTarget) + step]?.focus();
    else if (event.key === "Enter") onOpen?.(row.original);
    else if (event.key === " " && selection) row.toggleSelected();
    else return;
    event.preventDefault();
  };
  const shown = table.getRowModel().rows;
  // Tab leads to one row: the one that had the focus last, or the first.
  const entry = shown.some(({ id }) => id === visited) ? visited : shown[0]?.id;
  const instead = rows === undefined ? props.failure : rows.length === 0 && props.empty;
  if (instead) return <div className="border-line bg-raised rounded-md border">{instead}</div>;
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border lg:overflow-x-visible">
      <table
        aria-label={label}
        aria-busy={rows === undefined || undefined}
        className={classNames("w-full border-collapse transition-opacity", stale && "opacity-60")}
      >
        <thead className="bg-raised sticky top-0 z-10 [&_th:first-child]:rounded-tl-md [&_th:last-child]:rounded-tr-md">
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-line border-b">
              {group.headers.map((header) => {
                const { className, sortBy } = header.column.columnDef.meta ?? {};
                const content = render(header.column.columnDef.header, header.getContext());
                const sorted =
                  sortBy && order?.replace(/^-/, "") === sortBy
                    ? order?.startsWith("-")
                      ? "descending"
                      : "ascending"
                    : undefined;
                return (
                  <th
                    key={header.id}
                    scope="col"
                    aria-sort={sorted}
                    className={classNames(
                      "text-soft h-9 px-3 text-left text-sm font-medium whitespace-nowrap",
                      className,
                    )}
                  >
                    {sortBy && onOrder ? (
                      <button
                        type="button"
                        onClick={() => onOrder(sorted === "ascending" ? `-${sortBy}` : sortBy)}
                        className="hover:text-ink -mx-1 inline-flex h-7 items-center gap-1 rounded px-1"
                      >
                        {content}
                        <SortIcon sorted={sorted} />
                      </button>
                    ) : (
                      content
                    )}
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody ref={body}>
          {rows === undefined
            ? Array.from({ length: expected }, (_, at) => at).map((at) => (
                <SkeletonRow key={at} cells={columns.length} look={rowLook} />
              ))
            : shown.map((row) => (
                <tr
                  key={row.id}
                  tabIndex={row.id === entry ? 0 : -1}
                  aria-selected={selection ? row.getIsSelected() : undefined}
                  onKeyDown={(event) => move(event, row)}
                  onFocus={(event) => {
                    setVisited(row.id);
                    if (event.target === event.currentTarget) event.currentTarget.scrollIntoView({ block: "nearest" });
                  }}
                  className={classNames(
                    "border-line border-b last:border-0 hover:bg-sunken focus-visible:-outline-offset-2",
                    rowLook,
                    row.getIsSelected() && "bg-accent-soft",
                  )}
                >
                  {row.getVisibleCells().map((cell) => (
                    <td
                      key={cell.id}
                      className={classNames("px-3 py-1.5 align-middle", cell.column.columnDef.meta?.className)}
                    >
                      {render(cell.column.columnDef.cell, cell.getContext())}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}

/** Called, not mounted: columns are made anew on each render, and what is in a cell has to outlive that. */
function render<C extends object>(part: ReactNode | ((context: C) => unknown), context: C): ReactNode {
  return typeof part === "function" ? (part(context) as ReactNode) : part;
}

function SortIcon({ sorted }: { sorted: "ascending" | "descending" | undefined }) {
  const Icon = sorted === "ascending" ? ArrowUp : sorted === "descending" ? ArrowDown : ChevronsUpDown;
  return <Icon aria-hidden className="size-3" />;
}

function SkeletonRow({ cells, look }: { cells: number; look: string }) {
  return (
    <tr className={classNames("border-line border-b last:border-0", look)}>
      {Array.from({ length: cells }, (_, at) => at).map((at) => (
        <td key={at} className="px-3">
          <div className="bg-sunken h-3 w-3/4 animate-pulse rounded" />
        </td>
      ))}
    </tr>
  );
}
