import type { ColumnDef } from "@tanstack/react-table";
import type { ReactNode } from "react";

/** Returns a column of buttons at the end of each row. Its heading is for screen readers only. */
export function actionColumn<T>(cell: (row: T) => ReactNode, className = "text-right"): ColumnDef<T> {
  return {
    id: "actions",
    header: () => <span className="sr-only">Actions</span>,
    meta: { className },
    cell: ({ row }) => cell(row.original),
  };
}
