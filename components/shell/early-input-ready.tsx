"use client";

import { useEffect } from "react";

/** Repeats the early input. Rendered last on every page: when its effect runs, all other effects have added their listeners. */
export function EarlyInputReady() {
  useEffect(() => void window.dispatchEvent(new Event("crosswalk:ready")), []);
  return null;
}
