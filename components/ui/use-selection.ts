"use client";

import { useEffect, useMemo, useState } from "react";

interface Selection {
  selection: ReadonlySet<number>;
  setSelection: (selection: ReadonlySet<number>) => void;
  /** The IDs of the selected rows in the API. */
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
  const [selection, setSelection] = useState<ReadonlySet<number>>(new Set());
  const [seen, setSeen] = useState<ReadonlyMap<number, number>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again when the filter changes.
  useEffect(() => setSelection(new Set()), [filterKey]);
  const loaded = rows?.map(({ id }) => id).join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refresh returns new row objects with the same IDs.
  useEffect(() => {
    setSeen((before) => new Map([...before, ...(rows ?? []).map((row) => [row.id, idOf(row)] as const)]));
  }, [loaded]);
  const chosen = useMemo(() => [...selection].flatMap((rowId) => seen.get(rowId) ?? []), [selection, seen]);
  return { selection, setSelection, chosen };
}
