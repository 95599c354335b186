import { removeOldPublishedEvents } from "@/lib/events/commands/remove-old-events";
import { removeExpiredKeys } from "@/lib/idempotency/commands";
import { log } from "@/lib/log";
import { removeExpiredTokens } from "@/lib/oauth/commands";
import { deleteQueuedImages } from "@/lib/policies/commands/deleted-images";
import { removeOldEvents } from "@/lib/sync/commands";
import type { Background } from "./alarm";

const EVERY_MS = 300_000;

const CHORES = [removeExpiredKeys, removeExpiredTokens, removeOldEvents, removeOldPublishedEvents, deleteQueuedImages];

/** Forgets what is past its time. Any number of processes may do it beside each other. */
export function startHousekeeping(): Background {
  let running = Promise.resolve();
  const tidy = () => {
    running = running.then(async () => {
      for (const chore of CHORES) {
        await chore().catch((error: unknown) => log.warn({ err: error, chore: chore.name }, "will be tried again"));
      }
    });
  };
  const timer = setInterval(tidy, EVERY_MS).unref();
  tidy();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
