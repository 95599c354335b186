"use client";

import { useSyncExternalStore } from "react";

const WIDE = "(min-width: 1200px)";

/** Whether three columns fit. The server does not know, and takes it so: narrow browsers hide the others by CSS. */
export function useWideWindow(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = window.matchMedia(WIDE);
      query.addEventListener("change", changed);
      return () => query.removeEventListener("change", changed);
    },
    () => window.matchMedia(WIDE).matches,
    () => true,
  );
}
