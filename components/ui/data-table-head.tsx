import type { Table } from "@tanstack/react-table";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names";

interface DataTableHeadProps<T> {
  table: Table<T>;
  order: string | undefined;
  onOrder: ((order: string) => void) | undefined;
}

/** Renders the header row. Sortable columns have a button that switches between ascending and descending order. */
export function DataTableHead<T>({ table, order, onOrder }: DataTableHeadProps<T>) {
  return (
    <thead className="bg-raised sticky top-0 z-10 [&_th:first-child]:rounded-tl-md [&_th:last-child]:rounded-tr-md">
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} className="border-line border-b">
          {group.headers.map((header) => {
            const { className, sortBy } = header.column.columnDef.meta ?? {};
            const content = renderColumn(header.column.columnDef.header, header.getContext());
            const direction = sortDirection(order, sortBy);
            return (
              <th
                key={header.id}
                scope="col"
                aria-sort={direction}
                className={classNames("text-soft h-9 px-3 text-left text-sm font-medium whitespace-nowrap", className)}
              >
                {sortBy && onOrder ? (
                  <button
                    type="button"
                    onClick={() => onOrder(direction === "ascending" ? `-${sortBy}` : sortBy)}
                    className="hover:text-ink -mx-1 inline-flex h-7 items-center gap-1 rounded px-1"
                  >
                    {content}
                    <SortIcon direction={direction} />
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
  );
}

type Direction = "ascending" | "descending" | undefined;

function sortDirection(order: string | undefined, sortBy: string | undefined): Direction {
  if (!sortBy) return undefined;
  if (order === sortBy) return "ascending";
  return order === `-${sortBy}` ? "descending" : undefined;
}

function SortIcon({ direction }: { direction: Direction }) {
  const Icon = direction === "ascending" ? ArrowUp : direction === "descending" ? ArrowDown : ChevronsUpDown;
  return <Icon aria-hidden className="size-3" />;
}

/**
 * Renders a header or a cell. Calls a column's function instead of mounting it as a component: columns are created on each
 * render, and a new component would lose its state.
 */
export function renderColumn<C extends object>(content: ReactNode | ((context: C) => unknown), context: C): ReactNode {
  return typeof content === "function" ? (content(context) as ReactNode) : content;
}
