"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether the page takes what is done on it: false in what the server sends, true once React has taken it over. */
export function useReady(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
