/** Provides the current time, so that tests and rehearsals can change it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

let current: Clock = systemClock;

/** The clock of this process. */
export const clock: Clock = { now: () => current.now() };

/** Replaces the clock of this process, for tests. Without an argument, it restores the system clock. */
export function setClock(next: Clock = systemClock): void {
  current = next;
}

/** Returns whether the clock of this process was replaced. */
export const isClockReplaced = (): boolean => current !== systemClock;

/** Returns the time a number of days ago, ISO 8601. */
export function daysAgo(days: number): string {
  return new Date(current.now().getTime() - days * 86_400_000).toISOString();
}

/** Returns the current time as the API writes it: ISO 8601 in UTC with milliseconds. */
export function isoNow(): string {
  return current.now().toISOString();
}
