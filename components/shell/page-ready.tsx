"use client";

import { useEffect } from "react";
import { loadFonts } from "./fonts";

/**
 * Repeats the early input, then loads the fonts. Rendered last on every page: when its effect runs, all other effects have added their
 * listeners.
 */
export function PageReady() {
  useEffect(() => {
    window.dispatchEvent(new Event("crosswalk:ready"));
    void loadFonts();
  }, []);
  return null;
}
