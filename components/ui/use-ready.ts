"use client";

import { useSyncExternalStore } from "react";

const subscribeToNothing = () => () => {};

/** Returns whether React has hydrated the page. False while rendering on the server. */
export function useReady(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
