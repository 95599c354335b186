"use client";

import { RefreshCw } from "lucide-react";
import { Button } from "./button";
import { liveList as text } from "./messages/lists";

interface LiveListStatusProps {
  /** How many new rows have arrived. */
  newer: number;
  onShow: () => void;
  refreshError: Error | null;
}

/** Shows whether a live list of events is up to date, with a button that shows the new rows. */
export function LiveListStatus({ newer, onShow, refreshError }: LiveListStatusProps) {
  const state = refreshError ? text.retrying : text.upToDate;
  return (
    <div className="screen-only mb-3 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
      {/* Takes up its space even without new rows, so that nothing moves when they arrive. */}
      <p role="status" className={newer > 0 ? "sr-only" : "text-soft"}>
        {newer > 0 ? text.newEvents(newer) : state}
      </p>
      {newer > 0 && (
        <Button onClick={onShow}>
          <RefreshCw aria-hidden className="size-4" /> {text.showNewEvents(newer)}
        </Button>
      )}
      {newer > 0 && refreshError && <span className="text-soft">{text.offline}</span>}
    </div>
  );
}
