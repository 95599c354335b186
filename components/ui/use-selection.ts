"use client";

import type { RowSelectionState } from "@tanstack/react-table";
import { useEffect, useMemo, useState } from "react";

interface Selection {
  selection: RowSelectionState;
  setSelection: (selection: RowSelectionState) => void;
  /** Of each row that is selected, what it is called by. */
  chosen: number[];
}

/**
 * Rows that are selected: they stay so while pages turn and rows change; another filter begins anew.
 *
 * @param about the filter, as a text
 * @param idOf what a row is called by, where that is not its id
 */
export function useSelection<T extends { id: number }>(
  about: string,
  rows: readonly T[] | undefined,
  idOf: (row: T) => number = ({ id }) => id,
): Selection {
  const [selection, setSelection] = useState<RowSelectionState>({});
  const [seen, setSeen] = useState<ReadonlyMap<number, number>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is what it is about.
  useEffect(() => setSelection({}), [about]);
  const known = rows?.map(({ id }) => id).join(",");
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are new objects on every look, their ids are not.
  useEffect(() => {
    setSeen((before) => new Map([...before, ...(rows ?? []).map((row) => [row.id, idOf(row)] as const)]));
  }, [known]);
  const chosen = useMemo(
    () =>
      Object.entries(selection).flatMap(([id, is]) => {
        const named = is ? seen.get(Number(id)) : undefined;
        return named === undefined ? [] : [named];
      }),
    [selection, seen],
  );
  return { selection, setSelection, chosen };
}
