"use client";

import { useSyncExternalStore } from "react";

const WIDE = "(min-width: 1200px)";

/** Returns whether three columns fit. The server assumes they do; narrow windows hide two of them with CSS until hydration. */
export function useWideWindow(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = window.matchMedia(WIDE);
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => window.matchMedia(WIDE).matches,
    () => true,
  );
}
