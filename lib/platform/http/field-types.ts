import { z } from "zod";

/** A calendar date `YYYY-MM-DD`; PostgreSQL has no year 0. */
export const calendarDate = z.iso
  .date({ error: (issue) => (typeof issue.input === "string" ? "Must be a calendar date, YYYY-MM-DD." : undefined) })
  .refine((date) => !date.startsWith("0000"), { error: "Must be a calendar date, YYYY-MM-DD." });

const NO_EMAIL = "Must be an e-mail address.";

/** An address of electronic mail. A text of megabytes would overflow the stack of the pattern, so its length comes first. */
export const email = z.string(NO_EMAIL).max(254, { abort: true }).check(z.email(NO_EMAIL));

/** An id of another record, as JSON carries it. */
export const reference = z.int().positive();
