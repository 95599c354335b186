import { clock, isoNow } from "@/lib/clock";
import { among } from "@/lib/db/page";
import { db, sql } from "@/lib/db/sql";
import { countFailedEvents, listTroubledSubscriptions, type TroubledSubscription } from "@/lib/events/home-queries";
import type { Access } from "@/lib/oauth/access";
import { clientNameOf } from "@/lib/oauth/queries";
import { countPatients } from "@/lib/patients/home-queries";
import { listStreamStates, type StreamState } from "@/lib/sync/home-queries";
import { listPracticeRules, type PracticeRules } from "./queries";
import { legacyInsurancesEnded } from "./rules";
import { listPracticeNames } from "./staff-queries";

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const CHART_DAYS = 30;

/** The deprecation clock of a practice, as its rules read it today. Days are `YYYY-MM-DD`, UTC. */
export interface Deadline {
  date: string;
  mode: "announce" | "enforce";
  today: string;
  /** The day a rehearsal takes for today, or null. */
  rehearsal: string | null;
  /** From today, or the rehearsal's, to the date; negative once it is past. */
  days: number;
  /** Legacy insurances are refused. */
  has_ended: boolean;
}

/** What of one practice may need somebody. */
export interface PracticeHome {
  id: number;
  name: string;
  /** Insurance Versioning is enabled. */
  versioning: boolean;
  deadline: Deadline;
  patients: number;
  stream: StreamState;
  /** Could not be delivered, and can be sent again. */
  undelivered_events: number;
  /** Their clients reported an error. */
  rejected_events: number;
  paused_subscriptions: number;
  failing_subscriptions: number;
  /** Of the last seven days. */
  legacy: { reads: number; writes: number; clients: number };
}

/**
 * The caller's practices, each with what of it may need somebody, by name. One statement after the other: a page that
 * refreshes by itself must not take many of the process's connections at once.
 */
export async function listPracticeHomes(access: Access): Promise<PracticeHome[]> {
  const names = await listPracticeNames(access);
  const rules = await listPracticeRules(db, access.practices);
  const patients = await countPatients(access);
  const streams = await listStreamStates(access);
  const failed = await countFailedEvents(access);
  const troubled = await listTroubledSubscriptions(access);
  const legacy = await sumLegacyUse(access);
  return names.map(({ id, name, versioning }) => {
    const own = troubled.filter(({ practice_id }) => practice_id === id);
    const paused = own.filter(({ paused_date }) => paused_date !== null).length;
    return {
      id,
      name,
      versioning,
      deadline: toDeadline(rules.get(id) as PracticeRules),
      patients: patients.get(id) ?? 0,
      stream: streams.get(id) ?? { pending: 0, failed: 0, unsettled: 0, oldest: null },
      undelivered_events: failed.get(id)?.undelivered ?? 0,
      rejected_events: failed.get(id)?.rejected ?? 0,
      paused_subscriptions: paused,
      failing_subscriptions: own.length - paused,
      legacy: legacy.get(id) ?? { reads: 0, writes: 0, clients: 0 },
    };
  });
}

/** How the legacy insurances were used on one day. */
export interface LegacyDay {
  /** `YYYY-MM-DD`, UTC */
  day: string;
  reads: number;
  writes: number;
}

/** A client that used the legacy insurances lately. */
export interface LegacyClient {
  client_id: number;
  name: string;
  /** Of the last seven days. */
  reads: number;
  writes: number;
  /** The last day it did, `YYYY-MM-DD`, UTC. */
  last_day: string;
}

/** One practice, close up. */
export interface PracticeDetail {
  /** When this was so, ISO 8601. */
  checked_date: string;
  practice: PracticeHome;
  /** The last thirty days, none left out, oldest first. */
  days: LegacyDay[];
  clients: LegacyClient[];
  subscriptions: TroubledSubscription[];
}

/** The practice the caller's access is narrowed to; `known` where it was read just now. */
export async function readPracticeDetail(access: Access, known?: PracticeHome): Promise<PracticeDetail> {
  const practice = known ?? ((await listPracticeHomes(access))[0] as PracticeHome);
  const days = await listLegacyDays(access);
  const clients = await listLegacyClients(access);
  const subscriptions = await listTroubledSubscriptions(access);
  return { checked_date: isoNow(), practice, days, clients, subscriptions };
}

function toDeadline(rules: PracticeRules): Deadline {
  const present = rules.now.toISOString().slice(0, 10);
  return {
    date: rules.deprecationDate,
    mode: rules.deprecationMode,
    today: firstOfLast(1),
    rehearsal: rules.isRehearsing ? present : null,
    days: Math.round((Date.parse(rules.deprecationDate) - Date.parse(present)) / DAY_MS),
    has_ended: legacyInsurancesEnded(rules),
  };
}

/** The first of so many days that end with today. */
function firstOfLast(days: number): string {
  return new Date(clock.now().getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

async function sumLegacyUse(access: Access): Promise<Map<number, PracticeHome["legacy"]>> {
  const rows = await db.rows<PracticeHome["legacy"] & { practice_id: number }>(sql`
    SELECT practice_id, sum(reads)::bigint AS reads, sum(writes)::bigint AS writes, count(DISTINCT client_id) AS clients
    FROM legacy_use WHERE ${among(sql`practice_id`, access.practices)} AND day >= ${firstOfLast(WEEK_DAYS)}::date
    GROUP BY practice_id`);
  return new Map(rows.map(({ practice_id, ...use }) => [practice_id, use]));
}

async function listLegacyDays(access: Access): Promise<LegacyDay[]> {
  return db.rows<LegacyDay>(sql`
    SELECT own.day, coalesce(sum(u.reads), 0)::bigint AS reads, coalesce(sum(u.writes), 0)::bigint AS writes
    FROM (SELECT generate_series(${firstOfLast(CHART_DAYS)}::date, ${firstOfLast(1)}::date, '1 day')::date AS day) own
    LEFT JOIN legacy_use u ON u.day = own.day AND ${among(sql`u.practice_id`, access.practices)}
    GROUP BY own.day ORDER BY own.day`);
}

async function listLegacyClients(access: Access): Promise<LegacyClient[]> {
  const week = firstOfLast(WEEK_DAYS);
  return db.rows<LegacyClient>(sql`
    SELECT u.client_id, ${clientNameOf(sql`u.client_id`)} AS name, max(u.day) AS last_day,
      coalesce(sum(u.reads) FILTER (WHERE u.day >= ${week}::date), 0)::bigint AS reads,
      coalesce(sum(u.writes) FILTER (WHERE u.day >= ${week}::date), 0)::bigint AS writes
    FROM legacy_use u
    WHERE ${among(sql`u.practice_id`, access.practices)} AND u.day >= ${firstOfLast(CHART_DAYS)}::date
    GROUP BY u.client_id ORDER BY writes DESC, reads DESC, u.client_id`);
}
