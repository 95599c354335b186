"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { Button } from "./button";
import { pager as text } from "./messages/lists";

interface PagerProps {
  /** What the list shows, in the plural: `patients`. */
  noun: string;
  offset: number;
  limit: number;
  /** undefined while it loads. */
  count: number | undefined;
  /** Whether the list has more rows than `count`. */
  hasMore?: boolean | undefined;
  onOffset: (offset: number) => void;
}

/** Shows the position in a list and moves to the previous or next page. */
export function Pager({ noun, offset, limit, count, hasMore = false, onOffset }: PagerProps) {
  // Past the end, the list shows PageOutOfRange instead.
  if (!count || offset >= count) return null;
  const last = Math.min(offset + limit, count);
  return (
    <nav aria-label={text.label(noun)} className="screen-only mt-3 flex items-center justify-between gap-3">
      <p role="status" className="text-soft">
        {text.position(offset + 1, last, count, hasMore)}
      </p>
      <div className="flex gap-2">
        <Button disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - limit))}>
          <ChevronLeft aria-hidden className="size-4" /> {text.previous}
        </Button>
        <Button disabled={last >= count} onClick={() => onOffset(offset + limit)}>
          {text.next} <ChevronRight aria-hidden className="size-4" />
        </Button>
      </div>
    </nav>
  );
}
