"use client";

import { RefreshCw } from "lucide-react";
import { Button } from "./button";
import { formatNumber } from "./format";

/** What the reader of a list that stays in place should know: what is new, and whether it is up to date. */
export function ListState(props: {
  newer: number;
  /** `new events`, for one and for many. */
  nouns: [one: string, many: string];
  onShow: () => void;
  outdated: Error | null;
}) {
  const { newer, nouns, onShow, outdated } = props;
  const text = newer > 0 ? `${formatNumber(newer)} ${nouns[newer === 1 ? 0 : 1]}` : "";
  return (
    <div className="screen-only mb-3 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
      {/* In a place of its own, so that nothing moves when it appears. */}
      <p role="status" className={newer > 0 ? "sr-only" : "text-soft"}>
        {text || (outdated ? "Not up to date: the server can't be reached. Trying again." : "Up to date")}
      </p>
      {newer > 0 && (
        <Button onClick={onShow}>
          <RefreshCw aria-hidden className="size-4" /> {text}, show
        </Button>
      )}
      {newer > 0 && outdated && <span className="text-soft">Not up to date: the server can't be reached.</span>}
    </div>
  );
}
