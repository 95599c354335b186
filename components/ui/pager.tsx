"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "./button";
import { formatNumber } from "./format";

interface PagerProps {
  /** What is counted: `patients`. */
  of: string;
  offset: number;
  limit: number;
  /** undefined while it is not known. */
  count: number | undefined;
  onOffset: (offset: number) => void;
}

/** Which rows of how many are shown, and the way to the others. */
export function Pager({ of, offset, limit, count, onOffset }: PagerProps) {
  // Behind the end there are no rows to name; the list itself says so, and leads back.
  if (!count || offset >= count) return null;
  const last = Math.min(offset + limit, count);
  return (
    <nav aria-label={`Pages of ${of}`} className="screen-only mt-3 flex items-center justify-between gap-3">
      <p role="status" className="text-soft">
        {formatNumber(offset + 1)}–{formatNumber(last)} of {formatNumber(count)}
      </p>
      <div className="flex gap-2">
        <Button disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
          <ChevronLeft aria-hidden className="size-4" /> Previous
        </Button>
        <Button disabled={last >= count} onClick={() => onOffset(offset + limit)}>
          Next <ChevronRight aria-hidden className="size-4" />
        </Button>
      </div>
    </nav>
  );
}
