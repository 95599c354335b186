/** How far a zone is from UTC at a time, in ms. */
function offsetMs(time: number, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" },
    ...{ hour: "numeric", minute: "numeric", second: "numeric" },
  } as Intl.DateTimeFormatOptions).formatToParts(time);
  const part = (type: string) => Number(parts.find((found) => found.type === type)?.value);
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(time / 1000) * 1000;
}

/** A time as an input of type `datetime-local` takes it, on the clocks of a zone. */
export function toLocalInput(time: string, zone: string): string {
  const utc = Date.parse(time);
  return new Date(utc + offsetMs(utc, zone)).toISOString().slice(0, 16);
}

/** What such an input holds, as ISO 8601 in UTC; null where it holds no time. */
export function fromLocalInput(text: string, zone: string): string | null {
  const local = Date.parse(`${text}Z`);
  if (Number.isNaN(local)) return null;
  // The offset is that of the time looked for: near a change of clocks the first guess may be an hour off.
  const guess = local - offsetMs(local, zone);
  return new Date(local - offsetMs(guess, zone)).toISOString();
}
