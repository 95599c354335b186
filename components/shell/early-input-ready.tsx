"use client";

import { useEffect } from "react";

/** The last part of every page: once its effect runs, all others listen, and what was pressed sooner is made again. */
export function EarlyInputReady() {
  useEffect(() => void window.dispatchEvent(new Event("crosswalk:ready")), []);
  return null;
}
