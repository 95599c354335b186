import { Temporal } from "temporal-polyfill";
import { isTimezone } from "@/lib/platform/http/timezone";

/** When a calendar entry repeats. Days are `YYYY-MM-DD`; the time of day is local. */
export interface Schedule {
  event_time: string;
  /** Minutes. */
  duration: number;
  series_start: string;
  series_stop?: string | null;
  repeats?: "Monthly" | "Weekly";
  dow_monday?: boolean;
  dow_tuesday?: boolean;
  dow_wednesday?: boolean;
  dow_thursday?: boolean;
  dow_friday?: boolean;
  dow_saturday?: boolean;
  dow_sunday?: boolean;
}

/** How far ahead a series without an end is entered. */
const HORIZON = { years: 1 };
/** A series with more occurrences is rejected. */
export const MAX_OCCURRENCES = 1_000;
/** A group with more occurrences is rejected, because it is entered in one transaction that others wait for. */
export const MAX_GROUP_OCCURRENCES = 5_000;

/** The last day whose times can be stored. */
const LAST_DAY = Temporal.PlainDate.from("9999-12-30");

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/**
 * Lists the times of a schedule, ISO 8601 in UTC. Weekly schedules occur on their days of the week, or on the weekday of the
 * first day; monthly ones on the first day's day of the month, in months that have it; others once. A local time that is
 * skipped when clocks change moves to the next valid time.
 *
 * @param timezone of the practice; UTC if null or unknown
 * @returns at most MAX_OCCURRENCES + 1 times
 */
export function listOccurrences(schedule: Schedule, timezone: string | null): string[] {
  const plainTime = Temporal.PlainTime.from(schedule.event_time);
  const timeZone = timezone !== null && isTimezone(timezone) ? timezone : "UTC";
  const times = daysWithin(schedule).map((day) => day.toZonedDateTime({ timeZone, plainTime }));
  return times.map(({ epochMilliseconds }) => new Date(epochMilliseconds).toISOString());
}

/** Counts the occurrences of a schedule, up to MAX_OCCURRENCES + 1. */
export function countOccurrences(schedule: Schedule): number {
  return daysWithin(schedule).length;
}

/** Returns the last possible day of a schedule, `YYYY-MM-DD`, or null if it has no end. */
export function lastDay(schedule: Schedule): string | null {
  return isOnce(schedule) ? schedule.series_start : (schedule.series_stop ?? null);
}

const namedDays = (schedule: Schedule) => DAYS.flatMap((day, index) => (schedule[`dow_${day}`] ? [index + 1] : []));

const isOnce = (schedule: Schedule) => schedule.repeats === undefined && namedDays(schedule).length === 0;

function daysWithin(schedule: Schedule): Temporal.PlainDate[] {
  const first = Temporal.PlainDate.from(schedule.series_start);
  const stop = schedule.series_stop ? Temporal.PlainDate.from(schedule.series_stop) : first.add(HORIZON);
  const last = Temporal.PlainDate.compare(stop, LAST_DAY) < 0 ? stop : LAST_DAY;
  const found: Temporal.PlainDate[] = [];
  for (const day of daysOf(schedule, first)) {
    if (Temporal.PlainDate.compare(day, last) > 0 || found.length > MAX_OCCURRENCES) break;
    found.push(day);
  }
  return found;
}

function* daysOf(schedule: Schedule, first: Temporal.PlainDate): Generator<Temporal.PlainDate> {
  const named = namedDays(schedule);
  if (schedule.repeats === "Monthly") {
    for (let month = 0; ; month += 1) {
      const day = first.add({ months: month });
      if (day.day === first.day) yield day;
    }
  }
  if (isOnce(schedule)) {
    yield first;
    return;
  }
  const wanted = named.length > 0 ? named : [first.dayOfWeek];
  for (let day = first; ; day = day.add({ days: 1 })) if (wanted.includes(day.dayOfWeek)) yield day;
}
