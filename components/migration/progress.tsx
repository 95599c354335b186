"use client";

import { useNow } from "@/components/ui/now";
import type { RunView } from "@/lib/migration/check/review-queries";
import { progress as text } from "./messages/run";
import { bytesText, durationText, RUN_STATES } from "./messages/terms";

/**
 * Shows the progress of a run, with an estimate of the remaining time.
 *
 * @param at when the run was fetched, in ms
 */
export function RunProgress({ run, at }: { run: RunView; at: number }) {
  // The server does not know when the page is shown, so it renders no estimate.
  const isInBrowser = useNow() !== null;
  const { done, total, since_date, since_done, state } = run;
  const share = total === 0 ? 0 : Math.min(1, done / total);
  const progress =
    state === "reading" && run.source === "file"
      ? text.bytes(bytesText(done), bytesText(total))
      : text.records(done, total);
  const seconds = isInBrowser ? (at - Date.parse(since_date)) / 1000 : 0;
  const speed = seconds > 2 ? (done - since_done) / seconds : 0;
  return (
    <div>
      <div className="mb-1 flex flex-wrap justify-between gap-x-4">
        <span className="font-medium">{RUN_STATES[state].text}</span>
        <span role="status" className="text-soft tabular-nums">
          {speed > 0 ? text.withTime(progress, durationText((total - done) / speed)) : progress}
        </span>
      </div>
      <progress aria-label={RUN_STATES[state].text} max={1} value={share} />
    </div>
  );
}
