import { Temporal } from "temporal-polyfill";
import { isTimezone } from "@/lib/records/engine/field-types";

/** When an entry of a calendar comes again. Days are `YYYY-MM-DD`, the time of day is local. */
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

/** Series without an end are entered this far ahead. */
const HORIZON = { years: 1 };
/** Beyond that a series is refused. */
export const MOST_OCCURRENCES = 1_000;
/** Beyond that a group of them is refused: it is entered in one transaction, which others wait for. */
export const MOST_OF_A_GROUP = 5_000;

/** The last day whose times can be written. */
const LAST_DAY = Temporal.PlainDate.from("9999-12-30");

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/**
 * The times a schedule takes place, ISO 8601 in UTC: on the days of the week it names (else on that of its first day), or on
 * the day of the month of its first day, where the month has it; once where it names neither. A local time that a change of
 * the clocks leaves out is the one after it.
 *
 * @param timezone of the practice; UTC where it has none
 * @returns at most one more than MOST_OCCURRENCES
 */
export function listOccurrences(schedule: Schedule, timezone: string | null): string[] {
  const plainTime = Temporal.PlainTime.from(schedule.event_time);
  const timeZone = timezone !== null && isTimezone(timezone) ? timezone : "UTC";
  const times = daysWithin(schedule).map((day) => day.toZonedDateTime({ timeZone, plainTime }));
  return times.map(({ epochMilliseconds }) => new Date(epochMilliseconds).toISOString());
}

/** How often a schedule takes place; at most one more than MOST_OCCURRENCES. */
export function countOccurrences(schedule: Schedule): number {
  return daysWithin(schedule).length;
}

/** The last day a schedule can take place, `YYYY-MM-DD`; null where it goes on without an end. */
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
    if (Temporal.PlainDate.compare(day, last) > 0 || found.length > MOST_OCCURRENCES) break;
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
