/** A subscription is paused once all its attempts have failed for this long. */
export const PAUSE_AFTER_DAYS = 5;

const GROWTH = 3;
const MAX_PAUSE_MS = 6 * 3_600_000;

/**
 * Returns when to retry an event after a failed attempt, or null if it is no longer retried. Each pause is three times the
 * previous one, up to six hours, and varies by up to a quarter, so that events that failed together are not retried together.
 *
 * @param event.attempts the number of attempts made, at least 1
 * @param event.firstPauseMs the pause after the first attempt
 * @param random a random number from 0 up to 1
 */
export function nextAttempt(
  event: { attempts: number; now: Date; giveUpDate: Date; firstPauseMs: number },
  random: number,
): Date | null {
  const { attempts, now, giveUpDate, firstPauseMs } = event;
  if (now >= giveUpDate) return null;
  const pauseMs = Math.min(firstPauseMs * GROWTH ** (attempts - 1), MAX_PAUSE_MS) * (0.75 + random / 2);
  // If the pause would end too late, the last attempt is made at the deadline.
  return new Date(Math.min(now.getTime() + pauseMs, giveUpDate.getTime()));
}
