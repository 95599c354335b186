import { statSync } from "node:fs";
import { SingleBar } from "cli-progress";

/** A bar for a file that is read twice, on a terminal alone: a pipe gets nothing of it. */
export function fileProgress(file: string): {
  show: (progress: { bytesRead: number; records: number }) => void;
  stop: () => void;
} {
  if (!process.stderr.isTTY) return { show: () => {}, stop: () => {} };
  const bar = new SingleBar({
    format: "{bar} {percentage} %  {records} records  {duration_formatted}, {eta_formatted} left",
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  bar.start(2 * statSync(file).size, 0, { records: 0 });
  return { show: ({ bytesRead, records }) => bar.update(bytesRead, { records }), stop: () => bar.stop() };
}
