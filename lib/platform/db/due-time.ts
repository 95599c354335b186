import { clock, isClockReplaced } from "@/lib/platform/clock";
import { type Sql, sql } from "./sql";

// When work is due that any process can do. Processes write and compare these times by the clock of the database, because their own need
// not agree: otherwise, a failed attempt of a process whose clock is an hour ahead would be repeated an hour later by all others.

/** Returns the time of the database in milliseconds, as the columns have them, or the time to which the clock of this process was set. */
export const databaseNow = (): Sql =>
  isClockReplaced() ? sql`${clock.now()}::timestamptz` : sql`date_trunc('milliseconds', statement_timestamp())`;

/** Returns the time of the database in a number of milliseconds. */
export const databaseNowPlus = (ms: Sql): Sql => sql`${databaseNow()} + ${ms} * interval '1 millisecond'`;
