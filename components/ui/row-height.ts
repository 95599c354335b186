"use client";

import { useSyncExternalStore } from "react";

type RowHeight = "dense" | "comfortable";

const KEY = "crosswalk:rows";
const listeners = new Set<() => void>();
let chosen: RowHeight | null = null;

/** How high rows of tables are in this browser, and the way to change it. */
export function useRowHeight(): [height: RowHeight, set: (height: RowHeight) => void] {
  return [useSyncExternalStore(subscribe, read, () => "dense"), set];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function read(): RowHeight {
  chosen ??= stored();
  return chosen;
}

function stored(): RowHeight {
  try {
    return window.localStorage.getItem(KEY) === "comfortable" ? "comfortable" : "dense";
  } catch {
    return "dense";
  }
}

function set(height: RowHeight): void {
  chosen = height;
  try {
    window.localStorage.setItem(KEY, height);
  } catch {
    // A browser that keeps nothing: it holds until the tab closes.
  }
  for (const listener of listeners) listener();
}
