import { type Sql, sql } from "./sql";

/**
 * Returns when work is due that any process can do: now, by the clock of this process, or by that of the database if it is earlier. Otherwise,
 * work of a process whose clock is an hour ahead would wait for an hour.
 *
 * @param now of this process, ISO 8601
 */
export const dueNow = (now: string): Sql => sql`least(${now}::timestamptz, clock_timestamp())`;
