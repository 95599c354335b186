"use client";

import { type RefObject, useCallback, useEffect, useState } from "react";

/** Rows rendered above and below those in view. */
const MARGIN_ROWS = 6;
/** What the server assumes to be in view. */
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
