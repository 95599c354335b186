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
import { findClockProblem } from "@/lib/platform/readiness";
import { within } from "@/lib/platform/within";
import { removeOldLegacyUsage } from "@/lib/practice/practices/legacy-usage";
import { removeOldAlerts } from "./alerts/queue";

/** A chore stops at the next batch when the signal aborts. Most take seconds and don't look at it. */
export type Chore = (options: { signal: AbortSignal }) => Promise<unknown>;

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

/** How long a stop waits for a chore that has more to delete than usual. Its transactions are small, so ending the process loses nothing. */
const STOP_MS = 5_000;

/**
 * Deletes expired data and counts events regularly. Its transactions are small and never wait for requests, nor do requests wait for them (ADR 0195).
 * Several processes can run it at once. A process whose clock is wrong does nothing, because it would delete what has not expired.
 */
export function startHousekeeping({ often = OFTEN, daily = DAILY } = {}): Background {
  const stop = new AbortController();
  const { signal } = stop;
  let isClockWrong = false;
  const checkClock = async () => {
    const problem = await findClockProblem();
    if (problem !== null && !isClockWrong)
      log.warn({ clock: problem }, "housekeeping waits until the clocks of this machine and the database agree");
    isClockWrong = problem !== null;
  };
  let running = Promise.resolve();
  let isDailyDue = false;
  const tidy = () => {
    running = running.then(async () => {
      if (signal.aborted) return;
      await checkClock();
      if (isClockWrong) return;
      const chores = isDailyDue ? [...often, ...daily] : often;
      isDailyDue = false;
      for (const chore of chores) {
        if (signal.aborted) return;
        await chore({ signal }).catch((error: unknown) =>
          log.warn({ err: error, chore: chore.name }, "a housekeeping chore failed; will retry"),
        );
      }
    });
  };
  let minutes = 0;
  const timer = setInterval(() => {
    minutes += 5;
    isDailyDue ||= minutes % 1_440 === 60;
    tidy();
  }, 5 * MINUTE_MS).unref();
  tidy();
  return {
    async stop() {
      clearInterval(timer);
      stop.abort();
      await within(running, STOP_MS);
    },
  };
}
