"use client";

import type { RowSelectionState } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";

interface Selection {
  selection: RowSelectionState;
  setSelection: (selection: RowSelectionState) => void;
  /** The IDs of the selected rows. */
  chosen: number[];
}

/**
 * Keeps the selected rows while the page changes and rows are refreshed. A new filter clears the selection.
 *
 * @param filterKey the filter, as a string
 * @param idOf the ID that the API knows a row by, if that is not `id`
 */
export function useSelection<T extends { id: number }>(
  filterKey: string,
  rows: readonly T[] | undefined,
  idOf: (row: T) => number = ({ id }) => id,
): Selection {
  const [selection, setSelection] = useState<RowSelectionState>({});
  const [seen, setSeen] = useState<ReadonlyMap<number, number>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again when the filter changes.
  useEffect(() => setSelection({}), [filterKey]);
  const loaded = rows?.map(({ id }) => id).join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refresh returns new row objects with the same IDs.
  useEffect(() => {
    setSeen((before) => new Map([...before, ...(rows ?? []).map((row) => [row.id, idOf(row)] as const)]));
  }, [loaded]);
  const chosen = useMemo(
    () =>
      Object.entries(selection).flatMap(([rowId, isSelected]) => {
        const id = isSelected ? seen.get(Number(rowId)) : undefined;
        return id === undefined ? [] : [id];
      }),
    [selection, seen],
  );
  return { selection, setSelection, chosen };
}
