import { setTimeout } from "node:timers/promises";
import { log } from "@/lib/platform/log";
import { findOpenEvents } from "./outbox";

const POLL_MS = 5;
/** The pause between queries if all events have been waited for longer than `SOON_MS`. */
const SLOW_POLL_MS = 50;
const SOON_MS = 200;

interface Wait {
  eventId: number;
  since: number;
  until: number;
  resolve: (isSettled: boolean) => void;
}

const waits = new Set<Wait>();
let isPolling = false;

/** Waits until a worker has delivered an event, or someone discarded it. All waits of the process share one query. */
export function isSettledWithin(eventId: number, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const since = performance.now();
    waits.add({ eventId, since, until: since + waitMs, resolve });
    if (!isPolling) void poll();
  });
}

async function poll(): Promise<void> {
  isPolling = true;
  while (waits.size > 0) {
    const isSoon = [...waits].some(({ since }) => performance.now() - since < SOON_MS);
    await setTimeout(isSoon ? POLL_MS : SLOW_POLL_MS);
    const asked = [...waits];
    const open = await findOpenEvents(asked.map(({ eventId }) => eventId)).catch((error: unknown) => {
      log.warn({ err: error }, "could not look for replicated events; will retry");
      return null;
    });
    for (const wait of asked) settle(wait, open);
  }
  isPolling = false;
}

function settle(wait: Wait, open: ReadonlySet<number> | null): void {
  const isSettled = open !== null && !open.has(wait.eventId);
  if (!isSettled && performance.now() < wait.until) return;
  waits.delete(wait);
  wait.resolve(isSettled);
}
