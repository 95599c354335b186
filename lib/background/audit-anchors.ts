import { anchorBlocks, anchorPauseMs } from "@/lib/access/audit/anchors";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";

const PAUSE_MS = 300;
/** The pause after a failure. It doubles with each one. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;
/** How long a stopping process waits for a destination that hangs, or for another process that is writing. */
const STOP_MS = 5_000;

/** Writes the anchors of the audit. */
export interface AnchorWriter extends Background {
  /** Says that there may be blocks without an anchor. */
  notice(): void;
}

/**
 * Writes the anchors of new blocks. It runs beside the sealing, which never waits for a file or a bucket that hangs. An outage is one warning
 * in the log. Blocks that have no anchor after a stop get it from another process or the next one.
 */
export function startAnchorWriter(): AnchorWriter {
  const timer = new WakeableTimer();
  const stop = new AbortController();
  let isStopped = false;
  let hasNewBlocks = true;
  let failures = 0;

  const write = async (): Promise<"complete" | "busy" | "failed"> => {
    if (!hasNewBlocks) return "complete";
    // Set first, because blocks that are sealed meanwhile set it again.
    hasNewBlocks = false;
    try {
      if (await anchorBlocks(stop.signal)) {
        if (failures > 0) log.info("the anchors of the audit are written again");
        failures = 0;
        return "complete";
      }
      hasNewBlocks = true;
      return "busy";
    } catch (error) {
      hasNewBlocks = true;
      if (failures === 0) log.warn({ err: error }, "could not write the anchors of the audit; will retry");
      failures += 1;
      return "failed";
    }
  };
  const pauseMs = () =>
    failures === 0 ? anchorPauseMs() : Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  const loop = async () => {
    let nextAt = Number.NEGATIVE_INFINITY;
    while (!isStopped) {
      if (hasNewBlocks && performance.now() >= nextAt) {
        await write();
        nextAt = performance.now() + pauseMs();
      }
      await timer.sleep(PAUSE_MS);
    }
    // Another process may have begun to write before the last blocks were sealed.
    while ((await write()) === "busy" && !stop.signal.aborted) await timer.sleep(PAUSE_MS);
  };
  const running = loop();
  return {
    notice() {
      hasNewBlocks = true;
    },
    async stop() {
      isStopped = true;
      timer.wake();
      const deadline = setTimeout(() => stop.abort(), STOP_MS);
      await running;
      clearTimeout(deadline);
    },
  };
}
