import { z } from "zod";
import { decimalPattern } from "@/lib/insurance/fields/limits";
import { calendarDate, email as emailAddress, reference as id } from "@/lib/platform/http/field-types";
import { timeParam } from "@/lib/platform/http/query";

/** What no text of a record is longer than, where the contract sets no limit. */
export const LONGEST_TEXT = 100_000;
/** What no list of a record has more entries than. */
const MOST_ENTRIES = 1_000;
const INT32 = 2_147_483_647;

/** Values of the contract's records, each as it is sent, kept and answered. */

/** A text of at most so many characters. */
export const text = (most = LONGEST_TEXT) => z.string().max(most);
/** A whole number between these. */
export const whole = (least = -INT32 - 1, most = INT32) => z.int().min(least).max(most);
/** How long an entry of a calendar takes: up to a day. */
export const minutes = whole(1, 1_440);
/** An id of another record. */
export const reference = id;
/** A calendar date, `YYYY-MM-DD`. */
export const day = calendarDate;
/** An ISO 8601 time, brought to UTC; one without a zone is UTC. */
export const time = timeParam({ zone: "optional" });
/** An address of electronic mail. */
export const email = emailAddress;
/** A list of such values. */
export const list = <S extends z.ZodType>(entry: S) => z.array(entry).max(MOST_ENTRIES);

/** The bytes of a file, as base64; the largest body limits it. */
export const base64 = z.string().refine(isBase64, { error: "Is not base64." });

function isBase64(sent: string): boolean {
  return sent !== "" && sent.length % 4 !== 1 && /^[A-Za-z0-9+/]+={0,2}$/.test(sent);
}

/** A local time of day, `HH:MM` or `HH:MM:SS`, brought to the latter. */
export const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, { error: "Must be a time of day, HH:MM or HH:MM:SS.", abort: true })
  .transform((sent) => (sent.length === 5 ? `${sent}:00` : sent));

/** A decimal number, as text: so many digits before the point, and so many after it. */
export function decimal(before: number, after: number) {
  const error = `Must be a decimal with at most ${before} digits before and ${after} after the point.`;
  return z.string().regex(decimalPattern(before, after), { error });
}

/** In lower case, so that it never holds more than there are. */
const known = new Set<string>();

/** Whether a name is one of the IANA database, in any case. */
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

/** A time zone of the IANA database. */
export const timezone = z
  .string()
  .max(64)
  .refine((name) => /^[A-Z]/i.test(name) && isTimezone(name), {
    error: "Must be a time zone of the IANA database.",
  });
