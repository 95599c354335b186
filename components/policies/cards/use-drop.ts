"use client";

import { type DragEvent, useState } from "react";

/** Returns handlers for an element that files can be dropped on, and whether files are dragged over it. */
export function useDrop(onDrop: (files: File[]) => void, enabled: boolean) {
  const [isOver, setOver] = useState(false);
  const handlers = {
    onDragOver: (event: DragEvent) => {
      if (!enabled || !event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!enabled || event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      onDrop([...event.dataTransfer.files]);
    },
  };
  return { isOver, handlers };
}
