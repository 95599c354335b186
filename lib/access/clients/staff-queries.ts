import type { Access } from "@/lib/access/identity/access";
import { isOwnPractice } from "@/lib/access/staff/member-queries";
import { clock } from "@/lib/platform/clock";
import type { Row } from "@/lib/platform/db/rows";
import { type Db, db, inList, type Sql, sql } from "@/lib/platform/db/sql";
import { NotFoundError } from "@/lib/platform/errors";

/** A secret of a client without its value. */
export type SecretView = Row<"oauth_client_secret", "id" | "created_date" | "expires_date">;

/** An API client, as the admins of its practices see it. */
export interface StaffClient extends Omit<Row<"oauth_client">, "organization_id"> {
  /** Its practices that the admin belongs to. */
  practices: number[];
  /** It has access to practices that the admin doesn't belong to, so the admin can't change it. */
  elsewhere: boolean;
  /** Valid secrets, newest first. */
  secrets: SecretView[];
  /** Number of valid tokens. */
  open_tokens: number;
  /** Tokens issued in the last 30 days. */
  tokens_30: number;
  calls_30: number;
  /** Last call or token, ISO 8601. Null if there was none. */
  last_date: string | null;
}

/** Lists the clients with access to the caller's practices, disabled ones last. */
export async function listStaffClients(access: Access): Promise<StaffClient[]> {
  return db.rows<StaffClient>(sql`${selectClients(access)} ORDER BY c.disabled_date IS NOT NULL, lower(c.name), c.id`);
}

/** Returns a condition: the client has access to practices that the caller doesn't belong to. */
export function reachesElsewhere(access: Access, client: Sql): Sql {
  return sql`EXISTS (SELECT FROM oauth_client_practice g
    WHERE g.client_id = ${client} AND NOT ${isOwnPractice(access, sql`g.practice_id`)})`;
}

/** @throws NotFoundError unless the client has access to one of the caller's practices */
export async function getStaffClient(access: Access, id: number, read: Db = db): Promise<StaffClient> {
  const client = await read.first<StaffClient>(sql`${selectClients(access)} AND c.id = ${id}`);
  if (!client) throw new NotFoundError("client");
  return client;
}

function selectClients(access: Access): Sql {
  const now = clock.now();
  const isOwn = isOwnPractice(access, sql`g.practice_id`);
  const recent = sql`u.client_id = c.id AND u.day > ${daysAgo(30)}::date`;
  return sql`
    SELECT c.id, c.client_id, c.name, c.scoped_tokens, c.allowed_scopes, c.created_date, c.disabled_date, c.version,
      (SELECT coalesce(json_agg(g.practice_id ORDER BY g.practice_id) FILTER (WHERE ${isOwn}), '[]')
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

/** A client's calls in the last 7 and 30 days. */
export interface UseCount extends Row<"policy_usage", "client_id"> {
  days_7: number;
  days_30: number;
}

/** Counts calls of the policy endpoints about the caller's practices by client. */
export async function listPolicyUse(access: Access): Promise<UseCount[]> {
  return db.rows<UseCount>(sql`
    SELECT client_id, coalesce(sum(calls) FILTER (WHERE day > ${daysAgo(7)}::date), 0)::bigint AS days_7,
      sum(calls)::bigint AS days_30
    FROM policy_usage WHERE ${inList(sql`practice_id`, access.practices)} AND day > ${daysAgo(30)}::date
    GROUP BY client_id`);
}

/** Returns a day in UTC, `YYYY-MM-DD`. The days after it up to today are `days` days. */
function daysAgo(days: number): string {
  return new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);
}
