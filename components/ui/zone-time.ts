import { dateFormat } from "@/lib/platform/date-format";

const DAY_MS = 86_400_000;

/** What a zone's clocks show at an instant, as if it were UTC. */
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

/** The instant at which a zone's clocks show a time, given as if it were UTC. */
function instantOf(wall: number, zone: string): string {
  // Twice, for the first guess may lie on the other side of a change of the clocks.
  let instant = wall;
  for (let round = 0; round < 2; round++) instant -= wallTime(instant, zone) - wall;
  return new Date(instant).toISOString();
}

/** The instant at which a day (`YYYY-MM-DD`) begins in a zone, `later` days on; null where it is no day. */
export function startOfDay(day: string, zone: string, later = 0): string | null {
  const midnight = Date.parse(`${day}T00:00:00Z`) + later * DAY_MS;
  return Number.isNaN(midnight) ? null : instantOf(midnight, zone);
}

/** The day (`YYYY-MM-DD`) an instant is on in a zone; empty where it is no instant. */
export function dayOf(instant: string | number, zone: string): string {
  const time = typeof instant === "number" ? instant : Date.parse(instant);
  return Number.isNaN(time) ? "" : new Date(wallTime(time, zone)).toISOString().slice(0, 10);
}

/** An instant as an input of type `datetime-local` takes it, on the clocks of a zone; empty where it is no instant. */
export function toLocalInput(instant: string, zone: string): string {
  const time = Date.parse(instant);
  return Number.isNaN(time) ? "" : new Date(wallTime(time, zone)).toISOString().slice(0, 16);
}

/** What such an input holds, as an instant; null where it holds none. */
export function fromLocalInput(text: string, zone: string): string | null {
  const wall = Date.parse(`${text}Z`);
  return Number.isNaN(wall) ? null : instantOf(wall, zone);
}
