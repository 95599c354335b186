import { clientNameOf } from "@/lib/access/clients/queries";
import type { Access } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, sql } from "@/lib/platform/db/sql";

/** A client's use of the legacy insurances of a practice by one endpoint on one day. */
export type LegacyUseRow = Row<"legacy_usage"> & { client_name: string };

/** Lists the use of legacy insurances of the caller's practices (design §6), newest day first. `since` is `YYYY-MM-DD`. */
export async function listLegacyUse(access: Access, since: string): Promise<LegacyUseRow[]> {
  return db.rows<LegacyUseRow>(sql`
    SELECT u.practice_id, u.client_id, ${clientNameOf(sql`u.client_id`)} AS client_name, u.endpoint, u.day, u.reads, u.writes
    FROM legacy_usage u WHERE ${inList(sql`u.practice_id`, access.practices)} AND u.day >= ${since}::date
    ORDER BY u.day DESC, u.practice_id, u.client_id, u.endpoint`);
}

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const CHART_DAYS = 30;

/** Use of the legacy insurances in the last seven days. */
export interface LegacyUseTotals {
  reads: number;
  writes: number;
  /** Number of different clients. */
  clients: number;
}

/** Use of the legacy insurances on one day. */
export interface LegacyDay {
  /** `YYYY-MM-DD`, UTC */
  day: string;
  reads: number;
  writes: number;
}

/** A client that used the legacy insurances in the last thirty days. */
export interface LegacyClient {
  client_id: number;
  name: string;
  /** In the last seven days. */
  reads: number;
  writes: number;
  /** The last day of use, `YYYY-MM-DD`, UTC. */
  last_day: string;
}

/** Returns the first of this many days that end today, `YYYY-MM-DD` in UTC. */
export function firstOfLast(days: number): string {
  return new Date(clock.now().getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** Sums the use of legacy insurances in the last seven days, for each of the caller's practices. */
export async function sumLegacyUse(access: Access): Promise<Map<number, LegacyUseTotals>> {
  const rows = await db.rows<LegacyUseTotals & { practice_id: number }>(sql`
    SELECT practice_id, sum(reads)::bigint AS reads, sum(writes)::bigint AS writes, count(DISTINCT client_id) AS clients
    FROM legacy_usage WHERE ${inList(sql`practice_id`, access.practices)} AND day >= ${firstOfLast(WEEK_DAYS)}::date
    GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, ...use }) => [practice_id, use]));
}

/** Lists the use in the last thirty days in the caller's practices, oldest first. Days without use have zeros. */
export async function listLegacyDays(access: Access): Promise<LegacyDay[]> {
  return db.rows<LegacyDay>(sql`
    SELECT own.day, coalesce(sum(u.reads), 0)::bigint AS reads, coalesce(sum(u.writes), 0)::bigint AS writes
    FROM (SELECT generate_series(${firstOfLast(CHART_DAYS)}::date, ${firstOfLast(1)}::date, '1 day')::date AS day) own
    LEFT JOIN legacy_usage u ON u.day = own.day AND ${inList(sql`u.practice_id`, access.practices)}
    GROUP BY own.day ORDER BY own.day`);
}

/** Lists the clients that used legacy insurances of the caller's practices in the last thirty days, busiest first. */
export async function listLegacyClients(access: Access): Promise<LegacyClient[]> {
  const week = firstOfLast(WEEK_DAYS);
  return db.rows<LegacyClient>(sql`
    SELECT u.client_id, ${clientNameOf(sql`u.client_id`)} AS name, max(u.day) AS last_day,
      coalesce(sum(u.reads) FILTER (WHERE u.day >= ${week}::date), 0)::bigint AS reads,
      coalesce(sum(u.writes) FILTER (WHERE u.day >= ${week}::date), 0)::bigint AS writes
    FROM legacy_usage u
    WHERE ${inList(sql`u.practice_id`, access.practices)} AND u.day >= ${firstOfLast(CHART_DAYS)}::date
    GROUP BY u.client_id ORDER BY writes DESC, reads DESC, u.client_id`);
}
