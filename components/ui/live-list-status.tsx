"use client";

import { RefreshCw } from "lucide-react";
import { Button } from "./button";
import { formatNumber } from "./format";

interface LiveListStatusProps {
  /** How many new rows have arrived. */
  newer: number;
  /** What the rows are, in the singular and the plural: `new event`, `new events`. */
  nouns: [one: string, many: string];
  onShow: () => void;
  refreshError: Error | null;
}

/** Shows whether a live list is up to date, with a button that shows the new rows. */
export function LiveListStatus({ newer, nouns, onShow, refreshError }: LiveListStatusProps) {
  const text = newer > 0 ? `${formatNumber(newer)} ${nouns[newer === 1 ? 0 : 1]}` : "";
  return (
    <div className="screen-only mb-3 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
      {/* Takes up its space even without new rows, so that nothing moves when they arrive. */}
      <p role="status" className={newer > 0 ? "sr-only" : "text-soft"}>
        {text || (refreshError ? "Not up to date: the server can't be reached. Trying again." : "Up to date")}
      </p>
      {newer > 0 && (
        <Button onClick={onShow}>
          <RefreshCw aria-hidden className="size-4" /> Show {text}
        </Button>
      )}
      {newer > 0 && refreshError && <span className="text-soft">Not up to date: the server can't be reached.</span>}
    </div>
  );
}
