import { cancelEndedEvents } from "@/lib/events/commands/cancel-ended-events";
import { removeOldPublishedEvents } from "@/lib/events/commands/remove-old-events";
import { removeExpiredKeys } from "@/lib/idempotency/commands";
import { log } from "@/lib/log";
import { purgeRuns } from "@/lib/migration/commands/purge-runs";
import { removeOldUploads, removeReadUploads } from "@/lib/migration/commands/remove-old-uploads";
import { removeExpiredTokens } from "@/lib/oauth/commands";
import { deleteQueuedImages } from "@/lib/policies/commands/deleted-images";
import { sweepOrphans } from "@/lib/policies/commands/sweep-orphans";
import { endExpiredSessions } from "@/lib/staff/audit-commands";
import { removeOldSessions } from "@/lib/staff/commands";
import { removeExpiredTries } from "@/lib/staff/throttle-commands";
import { removeOldEvents } from "@/lib/sync/commands";
import type { Background } from "./alarm";

type Chore = () => Promise<unknown>;

const MINUTE_MS = 60_000;
const OFTEN: readonly Chore[] = [
  removeExpiredKeys,
  removeExpiredTokens,
  endExpiredSessions,
  removeOldSessions,
  removeExpiredTries,
  removeOldEvents,
  cancelEndedEvents,
  removeOldPublishedEvents,
  deleteQueuedImages,
  removeReadUploads,
];
/** What reads much, as the whole object store: once a day, and not while a process has only just begun. */
const DAILY: readonly Chore[] = [sweepOrphans, removeOldUploads, purgeRuns];

/** Forgets what is past its time. Any number of processes may do it beside each other. */
export function startHousekeeping(): Background {
  let running = Promise.resolve();
  const tidy = (chores: readonly Chore[]) => {
    running = running.then(async () => {
      for (const chore of chores) {
        await chore().catch((error: unknown) => log.warn({ err: error, chore: chore.name }, "will be tried again"));
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
