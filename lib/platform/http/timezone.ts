import { z } from "zod";
import { TIMEZONE_FORMAT } from "./validation";

/** Names known to be valid, in lower case so that the set can't outgrow the time zone database. */
const known = new Set<string>();

/** Returns whether a name is in the IANA time zone database, ignoring case. */
export function isTimezone(name: string): boolean {
  const key = name.toLowerCase();
  if (known.has(key)) return true;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
  } catch {
    return false;
  }
  known.add(key);
  return true;
}

/** An IANA time zone. */
export const timezone = z
  .string()
  .max(64)
  .refine((name) => /^[A-Z]/i.test(name) && isTimezone(name), {
    error: "Must be an IANA time zone.",
  })
  .meta({ format: TIMEZONE_FORMAT });
