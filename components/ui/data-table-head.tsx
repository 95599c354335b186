import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { classNames } from "./class-names";
import type { Column } from "./data-table";

interface DataTableHeadProps<T> {
  columns: readonly Column<T>[];
  order: string | undefined;
  onOrder: ((order: string) => void) | undefined;
}

/** Renders the header row. Sortable columns have a button that switches between ascending and descending order. */
export function DataTableHead<T>({ columns, order, onOrder }: DataTableHeadProps<T>) {
  return (
    <thead className="bg-raised sticky top-0 z-10 [&_th:first-child]:rounded-tl-md [&_th:last-child]:rounded-tr-md">
      <tr className="border-line border-b">
        {columns.map(({ id, header, className, sortBy }) => {
          const direction = sortDirection(order, sortBy);
          return (
            <th
              key={id}
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
                  {header}
                  <SortIcon direction={direction} />
                </button>
              ) : (
                header
              )}
            </th>
          );
        })}
      </tr>
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
