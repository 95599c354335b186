import { clientNameOf } from "@/lib/access/clients/queries";
import type { Access, Origin } from "@/lib/access/identity/access";
import { clock, daysAgo, isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import type { Row } from "@/lib/platform/db/rows";
import { db, inList, json, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { processWide } from "@/lib/platform/objects";

/** One client's use of the legacy insurances of one practice, through one endpoint on one day (UTC). */
type LegacyUse = Row<"legacy_usage">;

interface Counters {
  uses: Map<string, LegacyUse>;
  timer: NodeJS.Timeout | undefined;
  /** The last flush. */
  flushed: Promise<void>;
}

const FLUSH_MS = 5_000;

// Next bundles route modules separately from the server. Both must share one set of counters.
function counters(): Counters {
  return processWide("crosswalkLegacyUse", () => ({ uses: new Map(), timer: undefined, flushed: Promise.resolve() }));
}

/** Counts that a client read or wrote legacy insurances. Counts are kept in memory and written every 5 s. */
export function countLegacyUse({ actor, operation }: Origin, practiceId: number, kind: "reads" | "writes"): void {
  if (actor.type !== "client" || actor.id === null) return;
  const use = { practice_id: practiceId, client_id: actor.id, endpoint: operation, day: isoNow().slice(0, 10) };
  add({ ...use, reads: 0, writes: 0, [kind]: 1 });
}

/**
 * Counts a write with legacy insurances. Call it before any check, because even a rejected write shows that the client has not
 * migrated yet. Dry runs are not counted.
 */
export function countLegacyWrite({ origin, dryRun }: { origin: Origin; dryRun?: boolean }, practiceId: number): void {
  if (!dryRun) countLegacyUse(origin, practiceId, "writes");
}

/** Writes the counts. On shutdown, call it before the database connections close. */
export function flushLegacyUse(): Promise<void> {
  const all = counters();
  clearTimeout(all.timer);
  all.timer = undefined;
  all.flushed = all.flushed.then(flush);
  return all.flushed;
}

function add(use: LegacyUse): void {
  const all = counters();
  const key = `${use.practice_id} ${use.client_id} ${use.endpoint} ${use.day}`;
  const before = all.uses.get(key);
  all.uses.set(key, {
    ...use,
    reads: use.reads + (before?.reads ?? 0),
    writes: use.writes + (before?.writes ?? 0),
  });
  all.timer ??= setTimeout(() => void flushLegacyUse(), FLUSH_MS).unref();
}

async function flush(): Promise<void> {
  const all = counters();
  const uses = [...all.uses.values()];
  all.uses = new Map();
  if (uses.length === 0) return;
  try {
    // All processes insert in the same order, so that they can't deadlock.
    await db.run(sql`
      INSERT INTO legacy_usage AS u (practice_id, client_id, endpoint, day, reads, writes)
      SELECT practice_id, client_id, endpoint, day, reads, writes
      FROM jsonb_to_recordset(${json(uses)}) AS n(practice_id bigint, client_id bigint, endpoint text, day date,
        reads bigint, writes bigint)
      ORDER BY practice_id, client_id, endpoint, day
      ON CONFLICT (practice_id, client_id, endpoint, day)
      DO UPDATE SET reads = u.reads + excluded.reads, writes = u.writes + excluded.writes`);
  } catch (error) {
    log.warn({ err: error }, "the use of legacy insurances could not be written and will be retried");
    for (const use of uses) add(use);
  }
}

/** Deletes the use of days that are USAGE_RETENTION_DAYS ago. */
export async function removeOldLegacyUsage(): Promise<number> {
  return deleteOlder("legacy_usage", "day", daysAgo(config().USAGE_RETENTION_DAYS).slice(0, 10));
}

/** A `LegacyUse` with the name of its client. */
export type LegacyUseRow = LegacyUse & { client_name: string };

/** Lists the use of legacy insurances of the caller's practices, newest day first. `since` is `YYYY-MM-DD`. */
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
export interface LegacyUseTotals extends Pick<LegacyUse, "reads" | "writes"> {
  /** Number of different clients. */
  clients: number;
}

/** Use of the legacy insurances on one day, `YYYY-MM-DD` in UTC. */
export type LegacyDay = Pick<LegacyUse, "day" | "reads" | "writes">;

/** A client that used the legacy insurances in the last thirty days. `reads` and `writes` are those of the last seven. */
export interface LegacyClient extends Pick<LegacyUse, "client_id" | "reads" | "writes"> {
  name: string;
  /** The last day of use, `YYYY-MM-DD`, UTC. */
  last_day: LegacyUse["day"];
}

/** Returns the first day of the period of `days` days that ends today, `YYYY-MM-DD` in UTC. */
export function firstOfLast(days: number): string {
  return new Date(clock.now().getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

/** Sums the use of legacy insurances in the last seven days, for each of the caller's practices. */
export async function sumLegacyUse(access: Access): Promise<Map<number, LegacyUseTotals>> {
  const rows = await db.rows<LegacyUseTotals & Pick<LegacyUse, "practice_id">>(sql`
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
