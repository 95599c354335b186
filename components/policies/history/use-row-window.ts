"use client";

import { type RefObject, useCallback, useEffect, useState } from "react";

/** Extra rows to render above and below the visible ones. */
const MARGIN_ROWS = 6;
/** The rows that the server renders, which does not know the height of the view. */
const INITIAL_PX = 600;

interface RowWindow {
  /** The indexes of the rows to render. */
  indexes: number[];
  scrollTo: (index: number, align: "center" | "nearest") => void;
}

/** Returns which rows of a scrolling list to render. All rows have the same height, so nothing has to be measured. */
export function useRowWindow(box: RefObject<HTMLElement | null>, count: number, rowPx: number): RowWindow {
  const [first, setFirst] = useState(0);
  const [height, setHeight] = useState(INITIAL_PX);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const onScroll = () => setFirst(Math.floor(element.scrollTop / rowPx));
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    onScroll();
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
    };
  }, [box, rowPx]);
  const scrollTo = useCallback(
    (index: number, align: "center" | "nearest") => {
      const element = box.current;
      if (!element) return;
      const [top, space] = [index * rowPx, element.clientHeight - rowPx];
      if (align === "center") element.scrollTop = top - space / 2;
      else element.scrollTop = Math.min(top, Math.max(element.scrollTop, top - space));
    },
    [box, rowPx],
  );
  const from = Math.max(0, Math.min(first, count) - MARGIN_ROWS);
  const to = Math.min(count, first + Math.ceil(height / rowPx) + 1 + MARGIN_ROWS);
  return { indexes: Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at), scrollTo };
}
