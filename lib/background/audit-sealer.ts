import { AuditSealer } from "@/lib/access/audit/seal-commands";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { startAnchorWriter } from "./audit-anchors";

/** Entries are sealed within a second. A shorter pause makes smaller blocks, which cost more for each entry. */
const PAUSE_MS = 300;

/**
 * Seals audit entries in blocks, and has their anchors written. Runs in every server and worker: the database lets one of them seal at a
 * time. Entries that were not sealed wait for the next process.
 */
export function startAuditSealer(): Background {
  const anchors = startAnchorWriter();
  const sealer = new AuditSealer(anchors.notice);
  const timer = new WakeableTimer();
  let isStopped = false;
  const sealAll = async () => {
    try {
      while (await sealer.seal()) if (isStopped) break;
    } catch (error) {
      log.warn({ err: error }, "could not seal the audit; will retry");
    }
  };
  const loop = async () => {
    while (!isStopped) {
      await sealAll();
      await timer.sleep(PAUSE_MS);
    }
    await sealAll();
  };
  const running = loop();
  return {
    async stop() {
      isStopped = true;
      timer.wake();
      await running;
      await anchors.stop();
    },
  };
}
