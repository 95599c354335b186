/** How long an event is tried again before it counts as failed. */
const GIVE_UP_HOURS = 72;

/** Until when an event that may be delivered from `now` on is tried. Times are ISO 8601. */
export function giveUpDate(now: string): string {
  return new Date(Date.parse(now) + GIVE_UP_HOURS * 3_600_000).toISOString();
}

/** A subscription whose every attempt failed for so long is paused. */
export const PAUSE_AFTER_DAYS = 5;
/** How long events are kept. */
export const KEPT_DAYS = 30;

/** What a signing key is sealed for: put on another subscription it can't be opened. */
export function sealedFor(subscription: { clientId: number; resource: string; target: string }): string {
  const { clientId, resource, target } = subscription;
  return `${clientId} ${resource} ${target}`;
}

const GROWTH = 3;
const LONGEST_PAUSE_MS = 6 * 3_600_000;

/**
 * When to try an event again after a failed attempt, or null where it has been tried long enough (design §8): the pauses
 * grow threefold up to six hours, each by up to a quarter longer or shorter, so that what failed together does not come
 * back together.
 *
 * @param event.attempts made so far, 1 or more
 * @param event.firstPauseMs pause after the first attempt
 * @param random from 0 up to 1
 */
export function nextAttempt(
  event: { attempts: number; now: Date; giveUpDate: Date; firstPauseMs: number },
  random: number,
): Date | null {
  const { attempts, now, giveUpDate, firstPauseMs } = event;
  if (now >= giveUpDate) return null;
  const pauseMs = Math.min(firstPauseMs * GROWTH ** (attempts - 1), LONGEST_PAUSE_MS) * (0.75 + random / 2);
  // The last attempt is made when the time is up, not left out because its pause would reach beyond.
  return new Date(Math.min(now.getTime() + pauseMs, giveUpDate.getTime()));
}
