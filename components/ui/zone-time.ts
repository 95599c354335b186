import { dateFormat } from "@/lib/platform/date-format";

const DAY_MS = 86_400_000;

/** Returns the local time of a zone at an instant, encoded as if it were UTC. */
function wallTime(instant: number, zone: string): number {
  const parts = dateFormat("en-US", {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    hourCycle: "h23",
    timeZone: zone,
  }).formatToParts(new Date(instant));
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** Returns the instant at which a zone has a local time, given as if it were UTC. */
function toInstant(wall: number, zone: string): string {
  // Twice, because the first guess may be on the other side of a daylight saving change.
  let instant = wall;
  for (let round = 0; round < 2; round++) instant -= wallTime(instant, zone) - wall;
  return new Date(instant).toISOString();
}

/** Returns the start of a day (`YYYY-MM-DD`) in a zone, plus `later` days; null if the day is invalid. */
export function startOfDay(day: string, zone: string, later = 0): string | null {
  const midnight = Date.parse(`${day}T00:00:00Z`) + later * DAY_MS;
  return Number.isNaN(midnight) ? null : toInstant(midnight, zone);
}

/** Returns the day (`YYYY-MM-DD`) of an instant in a zone; empty if the instant is invalid. */
export function dayOf(instant: string | number, zone: string): string {
  const time = typeof instant === "number" ? instant : Date.parse(instant);
  return Number.isNaN(time) ? "" : new Date(wallTime(time, zone)).toISOString().slice(0, 10);
}

/** Returns the value of a `datetime-local` input for an instant, in a zone; empty if the instant is invalid. */
export function toLocalInput(instant: string, zone: string): string {
  const time = Date.parse(instant);
  return Number.isNaN(time) ? "" : new Date(wallTime(time, zone)).toISOString().slice(0, 16);
}

/** Reads the value of a `datetime-local` input as an instant; null if it is empty or invalid. */
export function fromLocalInput(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? null : toInstant(wall, zone);
}
