/** The present time is always asked of a clock, so that tests and rehearsals can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

let current: Clock = systemClock;

/** The process's clock. */
export const clock: Clock = { now: () => current.now() };

/** Replaces the process's clock, in tests; without an argument puts the system's back. */
export function setClock(next: Clock = systemClock): void {
  current = next;
}

/** An ISO 8601 time in UTC with milliseconds, as the API writes it. */
export function isoNow(): string {
  return current.now().toISOString();
}
