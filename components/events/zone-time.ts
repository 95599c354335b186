/** What a zone's clocks show at an instant, as if it were UTC. */
function wallTime(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" },
    ...{ hourCycle: "h23", timeZone: zone },
  } as Intl.DateTimeFormatOptions).formatToParts(new Date(instant));
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** The instant at which a day (`YYYY-MM-DD`) begins in a zone, `later` days on; null where it is no day. */
export function startOfDay(day: string, zone: string, later = 0): string | null {
  const midnight = Date.parse(`${day}T00:00:00Z`) + later * 86_400_000;
  if (Number.isNaN(midnight)) return null;
  // Twice, for the first guess may lie on the other side of a change of the clocks.
  let instant = midnight;
  for (let round = 0; round < 2; round++) instant -= wallTime(instant, zone) - midnight;
  return new Date(instant).toISOString();
}

/** The day (`YYYY-MM-DD`) an instant is on in a zone. */
export function dayOf(instant: string, zone: string): string {
  const time = Date.parse(instant);
  return Number.isNaN(time) ? "" : new Date(wallTime(time, zone)).toISOString().slice(0, 10);
}
