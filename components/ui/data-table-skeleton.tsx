import { classNames } from "./class-names";

interface DataTableSkeletonProps {
  rows: number;
  cells: number;
  className: string;
}

/** Renders placeholder rows while a table loads. */
export function DataTableSkeleton({ rows, cells, className }: DataTableSkeletonProps) {
  return range(rows).map((row) => (
    <tr key={row} className={classNames("border-line border-b last:border-0", className)}>
      {range(cells).map((cell) => (
        <td key={cell} className="px-3">
          <div className="bg-sunken h-3 w-3/4 animate-pulse rounded" />
        </td>
      ))}
    </tr>
  ));
}

const range = (length: number) => Array.from({ length }, (_, index) => index);
