import { SingleBar } from "cli-progress";
import type { WorkState } from "@/lib/migration/runs/run-states";
import type { RunRow } from "@/lib/migration/runs/schema";

const newBar = (format: string) =>
  new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true });

/** Returns a progress bar for a file that is read twice, only on a terminal. */
export function fileProgress(size: number): {
  show: (progress: { bytesRead: number; records: number }) => void;
  stop: () => void;
} {
  if (!process.stderr.isTTY) return { show: () => {}, stop: () => {} };
  const bar = newBar("{bar} {percentage}%  {records} records  {duration_formatted}, {eta_formatted} left");
  bar.start(2 * size, 0, { records: 0 });
  return { show: ({ bytesRead, records }) => bar.update(bytesRead, { records }), stop: () => bar.stop() };
}

const WORDS: Record<WorkState, string> = {
  reading: "Reading",
  checking: "Checking",
  converting: "Converting",
  verifying: "Verifying",
  rolling_back: "Rolling back",
};

/** Returns a progress bar for each step of a run, only on a terminal. */
export function runProgress(): { show: (run: Pick<RunRow, "state" | "done" | "total">) => void; stop: () => void } {
  if (!process.stderr.isTTY) return { show: () => {}, stop: () => {} };
  const bar = newBar("{work} {bar} {percentage}%  {duration_formatted}, {eta_formatted} left");
  let shown: string | null = null;
  const stop = () => {
    if (shown !== null) bar.stop();
    shown = null;
  };
  return {
    show: ({ state, done, total }) => {
      if (state !== shown) {
        stop();
        bar.start(total, done, { work: WORDS[state as WorkState] ?? state });
        shown = state;
      } else bar.update(done);
    },
    stop,
  };
}
