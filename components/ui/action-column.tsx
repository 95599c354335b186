import type { ReactNode } from "react";
import type { Column } from "./data-table";
import { table } from "./messages/lists";

/** Returns a column of buttons at the end of each row. Its heading is for screen readers only. */
export function actionColumn<T>(cell: (row: T) => ReactNode, className = "text-right"): Column<T> {
  return { id: "actions", header: <span className="sr-only">{table.actions}</span>, className, cell };
}
