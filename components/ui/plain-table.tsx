import type { ReactNode } from "react";
import { classNames } from "./class-names";

interface PlainTableProps {
  /** The accessible name. */
  label: string;
  columns: readonly { name: string; className?: string }[];
  /** The rows. */
  children: ReactNode;
}

/** Renders a table to read, without sorting, selection or keyboard navigation. See `DataTable` for those. */
export function PlainTable({ label, columns, children }: PlainTableProps) {
  return (
    <div className="border-line bg-raised overflow-x-auto rounded-md border">
      <table aria-label={label} className="w-full border-collapse">
        <thead>
          <tr className="border-line text-soft border-b text-left text-sm">
            {columns.map(({ name, className }) => (
              <th key={name} scope="col" className={classNames("h-9 px-3 font-medium", className)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
