import type { Access } from "@/lib/access/identity/access";
import { isOwnPractice } from "@/lib/access/staff/member-queries";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** One secret of a client: never what it is, only that it is there. */
export type SecretView = Row<"oauth_client_secret", "id" | "created_date" | "expires_date">;

/** An API client as admins of a practice it reaches see it. */
export interface StaffClient extends Omit<Row<"oauth_client">, "organization_id"> {
  /** Practices it shares with the admin. */
  practices: number[];
  /** It reaches practices that are not the admin's: they may not change it. */
  elsewhere: boolean;
  /** The valid ones, newest first. */
  secrets: SecretView[];
  /** Tokens that are valid now. */
  open_tokens: number;
  /** Tokens it was given in the last 30 days. */
  tokens_30: number;
  calls_30: number;
  /** ISO 8601; null where it was never used. */
  last_date: string | null;
}

/** The clients that reach the caller's practices, disabled ones last. */
export async function listStaffClients(access: Access): Promise<StaffClient[]> {
  return db.rows<StaffClient>(sql`${clientsOf(access)} ORDER BY c.disabled_date IS NOT NULL, lower(c.name), c.id`);
}

/** A condition on a client's id: it also reaches practices that are not the caller's. */
export function reachesElsewhere(access: Access, client: Sql): Sql {
  return sql`EXISTS (SELECT FROM oauth_client_practice g
    WHERE g.client_id = ${client} AND NOT ${isOwnPractice(access, sql`g.practice_id`)})`;
}

/** @throws NotFoundError where no client of this id reaches the caller's practices */
export async function getStaffClient(access: Access, id: number, read: Db = db): Promise<StaffClient> {
  const client = await read.first<StaffClient>(sql`${clientsOf(access)} AND c.id = ${id}`);
  if (!client) throw new NotFoundError("client");
  return client;
}

function clientsOf(access: Access): Sql {
  const now = clock.now();
  const own = isOwnPractice(access, sql`g.practice_id`);
  const recent = sql`u.client_id = c.id AND u.day > ${daysAgo(30)}::date`;
  return sql`
    SELECT c.id, c.client_id, c.name, c.scoped_tokens, c.allowed_scopes, c.created_date, c.disabled_date, c.version,
      (SELECT coalesce(json_agg(g.practice_id ORDER BY g.practice_id) FILTER (WHERE ${own}), '[]')
       FROM oauth_client_practice g WHERE g.client_id = c.id) AS practices,
      ${reachesElsewhere(access, sql`c.id`)} AS elsewhere,
      (SELECT coalesce(json_agg(json_build_object('id', s.id, 'created_date', s.created_date,
         'expires_date', s.expires_date) ORDER BY s.id DESC), '[]')
       FROM oauth_client_secret s
       WHERE s.client_id = c.id AND (s.expires_date IS NULL OR s.expires_date > ${now})) AS secrets,
      (SELECT count(*) FROM oauth_token t JOIN oauth_client_secret s ON s.id = t.secret_id
       WHERE t.client_id = c.id AND t.revoked_date IS NULL AND t.expires_date > ${now} AND c.disabled_date IS NULL
         AND (s.expires_date IS NULL OR s.expires_date > ${now})) AS open_tokens,
      (SELECT coalesce(sum(u.tokens), 0)::bigint FROM client_usage u WHERE ${recent}) AS tokens_30,
      (SELECT coalesce(sum(u.calls), 0)::bigint FROM client_usage u WHERE ${recent}) AS calls_30,
      (SELECT max(u.last_date) FROM client_usage u WHERE u.client_id = c.id) AS last_date
    FROM oauth_client c
    WHERE EXISTS (SELECT FROM oauth_client_practice here
      WHERE here.client_id = c.id AND ${inList(sql`here.practice_id`, access.practices)})`;
}

/** How often a client used something for a practice. */
export interface UseCount {
  client_id: number;
  days_7: number;
  days_30: number;
}

/** Calls of the policy endpoints for the caller's practices, by client. */
export async function listPolicyUse(access: Access): Promise<UseCount[]> {
  return db.rows<UseCount>(sql`
    SELECT client_id, coalesce(sum(calls) FILTER (WHERE day > ${daysAgo(7)}::date), 0)::bigint AS days_7,
      sum(calls)::bigint AS days_30
    FROM policy_usage WHERE ${inList(sql`practice_id`, access.practices)} AND day > ${daysAgo(30)}::date
    GROUP BY client_id`);
}

/** `YYYY-MM-DD`, UTC: today and the days before it make `days` days. */
function daysAgo(days: number): string {
  return new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
}
