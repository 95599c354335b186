import { z } from "zod";
import { decimalPattern } from "@/lib/insurance/fields/limits";
import { timeParam } from "@/lib/platform/http/query";
import { calendarDate, email as emailAddress, reference as id } from "@/lib/platform/http/validation";

/** The maximum length of texts that the contract does not limit. */
export const LONGEST_TEXT = 100_000;
/** The maximum number of entries in a list. */
const MOST_ENTRIES = 1_000;
const INT32 = 2_147_483_647;

/** A text with a maximum length. */
export const text = (most = LONGEST_TEXT) => z.string().max(most);
/** A whole number between two bounds. */
export const whole = (least = -INT32 - 1, most = INT32) => z.int().min(least).max(most);
/** The duration of a calendar entry, up to a day. */
export const minutes = whole(1, 1_440);
/** The ID of another record. */
export const reference = id;
/** A calendar date, `YYYY-MM-DD`. */
export const day = calendarDate;
/** An ISO 8601 time, converted to UTC. A time without a zone is in UTC. */
export const time = timeParam({ zone: "optional" });
/** An email address. */
export const email = emailAddress;
/** A list of values. */
export const list = <S extends z.ZodType>(entry: S) => z.array(entry).max(MOST_ENTRIES);

/** The bytes of a file as base64. The maximum size of a body limits it. */
export const base64 = z.string().refine(isBase64, { error: "Must be base64." });

function isBase64(sent: string): boolean {
  return sent !== "" && sent.length % 4 !== 1 && /^[A-Za-z0-9+/]+={0,2}$/.test(sent);
}

/** A local time of day, `HH:MM` or `HH:MM:SS`, stored as the latter. */
export const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: "Must be a time of day, HH:MM or HH:MM:SS.", abort: true })
  .transform((sent) => (sent.length === 5 ? `${sent}:00` : sent));

/** A decimal number as text, with a maximum number of digits before and after the point. */
export function decimal(before: number, after: number) {
  const error = `Must be a decimal with at most ${before} digits before and ${after} after the point.`;
  return z.string().regex(decimalPattern(before, after), { error });
}

/** Names that proved valid, in lower case so that the set can't grow beyond the database. */
const known = new Set<string>();

/** Returns whether a name is in the IANA time zone database, in any case. */
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
  });
