"use client";

import { type RefObject, useLayoutEffect, useState } from "react";
import { useReady } from "./use-ready";

const TEXT = "input, select, textarea, [contenteditable], [role=dialog] *";

/**
 * Focuses an input when the user arrives at its page, except where that would open a keyboard on the screen. On the first page it leaves
 * any element that has focus alone, as `autofocus` does. Later, the link that led here may have focus, so it only leaves text and dialogs.
 */
export function useFocusOnArrival(input: RefObject<HTMLInputElement | null>, isOn: boolean): void {
  // On the server and on the first page, React renders before it is ready.
  const isReady = useReady();
  const [cameFromPage] = useState(isReady);
  useLayoutEffect(() => {
    if (!isOn || !window.matchMedia("(pointer: fine)").matches) return;
    const active = document.activeElement ?? document.body;
    // Going back restores the position of the page, which this must not change.
    if (cameFromPage ? !active.matches(TEXT) : active === document.body) input.current?.focus({ preventScroll: true });
  }, [input, isOn, cameFromPage]);
}
