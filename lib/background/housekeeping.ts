import { removeOldAudit } from "@/lib/access/audit/retention-commands";
import { removeExpiredTokens, removeOldUsage } from "@/lib/access/clients/commands";
import { removeExpiredKeys } from "@/lib/access/endpoints/idempotency";
import { endExpiredSessions } from "@/lib/access/staff/audit-commands";
import { removeOldSessions } from "@/lib/access/staff/commands";
import { removeExpiredAttempts } from "@/lib/access/staff/throttle-commands";
import { endExpiredListeners } from "@/lib/events/listeners/commands";
import { cancelEndedEvents, removeOldPublishedEvents } from "@/lib/events/published/commands";
import { countPublishedEvents } from "@/lib/events/published/count-events";
import { deleteQueuedImages } from "@/lib/insurance/images/deletion-queue";
import { sweepOrphans } from "@/lib/insurance/images/sweep-orphans";
import { removeOldEvents } from "@/lib/insurance/replication/outbox";
import { removeOldUploads, removeReadUploads } from "@/lib/migration/read/upload-run";
import { purgeRuns } from "@/lib/migration/rollback/purge-runs";
import type { Background } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { removeOldLegacyUsage } from "@/lib/practice/practices/legacy-usage";
import { removeOldAlerts } from "./alerts/queue";

type Chore = () => Promise<unknown>;

const MINUTE_MS = 60_000;
const OFTEN: readonly Chore[] = [
  removeExpiredKeys,
  removeExpiredTokens,
  endExpiredSessions,
  removeOldSessions,
  removeExpiredAttempts,
  removeOldEvents,
  endExpiredListeners,
  cancelEndedEvents,
  removeOldPublishedEvents,
  countPublishedEvents,
  deleteQueuedImages,
  removeReadUploads,
  removeOldAudit,
  removeOldAlerts,
];
/** Expensive chores, such as reading the whole object store. They run once a day, first an hour after the start. */
const DAILY: readonly Chore[] = [removeOldUsage, removeOldLegacyUsage, sweepOrphans, removeOldUploads, purgeRuns];

/**
 * Deletes expired data and counts events regularly. Its transactions are small and never wait for requests, nor do requests wait for them (ADR 0195).
 * Several processes can run it at once.
 */
export function startHousekeeping(): Background {
  let running = Promise.resolve();
  const tidy = (chores: readonly Chore[]) => {
    running = running.then(async () => {
      for (const chore of chores) {
        await chore().catch((error: unknown) =>
          log.warn({ err: error, chore: chore.name }, "a housekeeping chore failed; will retry"),
        );
      }
    });
  };
  let minutes = 0;
  const timer = setInterval(() => {
    minutes += 5;
    tidy(OFTEN);
    if (minutes % 1_440 === 60) tidy(DAILY);
  }, 5 * MINUTE_MS).unref();
  tidy(OFTEN);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
