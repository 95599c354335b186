"use client";

import { useSyncExternalStore } from "react";

type RowHeight = "dense" | "comfortable";

const KEY = "crosswalk:rows";
const listeners = new Set<() => void>();
let chosen: RowHeight | null = null;

/** Returns the row height of tables, which the browser remembers, and a function that changes it. */
export function useRowHeight(): [height: RowHeight, setHeight: (height: RowHeight) => void] {
  return [useSyncExternalStore(subscribe, read, () => "dense"), setRowHeight];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): RowHeight {
  chosen ??= readStored();
  return chosen;
}

function readStored(): RowHeight {
  try {
    return window.localStorage.getItem(KEY) === "comfortable" ? "comfortable" : "dense";
  } catch {
    return "dense";
  }
}

function setRowHeight(height: RowHeight): void {
  chosen = height;
  try {
    window.localStorage.setItem(KEY, height);
  } catch {
    // Storage is blocked. The choice lasts until the tab closes.
  }
  for (const listener of listeners) listener();
}
