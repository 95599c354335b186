"use client";

import { useLayoutEffect, useRef } from "react";

interface Layer {
  close: () => void;
}

/** The open layers, the topmost last. */
const layers: Layer[] = [];

function closeTopmost(event: KeyboardEvent): void {
  const top = layers.at(-1);
  if (event.key !== "Escape" || event.isComposing || !top) return;
  event.preventDefault();
  event.stopPropagation();
  top.close();
}

/**
 * Closes the topmost layer on Escape, from the moment it is visible. Radix adds its listener after a second render that follows the
 * first paint, so it misses a key pressed before that.
 *
 * @param close null while the layer is closed
 */
export function useEscape(close: (() => void) | null): void {
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });
  const isOpen = close !== null;
  useLayoutEffect(() => {
    if (!isOpen) return;
    const layer: Layer = { close: () => latest.current?.() };
    if (layers.length === 0) window.addEventListener("keydown", closeTopmost, { capture: true });
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      if (layers.length === 0) window.removeEventListener("keydown", closeTopmost, { capture: true });
    };
  }, [isOpen]);
}
