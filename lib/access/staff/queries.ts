import { organizationNameOf } from "@/lib/access/tenancy/organizations";
import { config } from "@/lib/platform/config";
import { databaseNowPlus } from "@/lib/platform/db/due-time";
import { kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { db, type Sql, sql } from "@/lib/platform/db/sql";

/** An account for signing in. */
export interface StaffUser
  extends Row<"staff_user", "id" | "organization_id" | "email" | "name" | "role" | "password_hash"> {
  organization: Row<"organization">["name"];
  practices: number[];
}

/** The practices of the user `u`, as JSON. */
const PRACTICES = sql`coalesce((SELECT json_agg(m.practice_id ORDER BY m.practice_id) FROM staff_user_practice m
  WHERE m.user_id = u.id), '[]')`;

/** Lists the enabled accounts with an email address, ignoring case, last used first. Each organization has at most one. */
export async function listStaffUsers(email: string): Promise<StaffUser[]> {
  return db.rows<StaffUser>(sql`
    SELECT u.id, u.organization_id, ${organizationNameOf(sql`u.organization_id`)} AS organization, u.email, u.name, u.role,
      u.password_hash, ${PRACTICES} AS practices
    FROM staff_user u WHERE u.email = ${email.toLowerCase()} AND u.disabled_date IS NULL
    ORDER BY (SELECT max(s.seen_date) FROM staff_session s WHERE s.user_id = u.id) DESC NULLS LAST, u.id`);
}

/** Finds the password hash of an account with this email address, even if it is disabled. */
export async function findSiblingHash(email: string): Promise<string | null> {
  const accounts = kysely.selectFrom("staff_user").where("email", "=", email.toLowerCase());
  const account = await db.first(accounts.select("password_hash").orderBy("id").limit(1));
  return account?.password_hash ?? null;
}

/** An open session with its user. */
export interface OpenSession
  extends Row<"staff_session", "id" | "user_id" | "created_date" | "seen_date">,
    Row<"staff_user", "name" | "email" | "role" | "can_export"> {
  practices: number[];
  /** Its last use was recorded a minute ago or earlier. */
  is_stale: boolean;
}

/** Minimum time between two updates of a session's last use. */
const TOUCH_INTERVAL_MS = 60_000;

/**
 * Returns conditions on a session `s` that has expired: it is too old, or has not been used. The clock of the database decides, so that a
 * process whose own clock is ahead ends no session.
 */
export function expiryOf(): { age: Sql; idle: Sql } {
  const { STAFF_SESSION_HOURS, STAFF_IDLE_MINUTES } = config();
  const ago = (ms: number) => databaseNowPlus(sql`${-ms}`);
  return {
    age: sql`s.created_date <= ${ago(STAFF_SESSION_HOURS * 3_600_000)}`,
    idle: sql`s.seen_date <= ${ago(STAFF_IDLE_MINUTES * 60_000)}`,
  };
}

/** Finds an open session of an enabled user that has not expired. */
export async function findOpenSession(id: string): Promise<OpenSession | null> {
  const { age, idle } = expiryOf();
  return db.first<OpenSession>(sql`
    SELECT s.id, u.id AS user_id, u.name, u.email, u.role, u.role = 'admin' OR u.can_export AS can_export,
      s.created_date, s.seen_date, s.seen_date < ${databaseNowPlus(sql`${-TOUCH_INTERVAL_MS}`)} AS is_stale, ${PRACTICES} AS practices
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id
    WHERE s.id = ${id}::uuid AND s.ended_date IS NULL AND u.disabled_date IS NULL
      AND NOT (${age} OR ${idle})`);
}

/** Returns which of the accounts have signed in from a network address since a time (ISO 8601). */
export async function listSignedInFrom(
  accounts: readonly number[],
  from: { address: string; since: string },
): Promise<Set<number>> {
  if (accounts.length === 0) return new Set();
  const sessions = await db.rows(
    kysely
      .selectFrom("staff_session")
      .select("user_id")
      .distinct()
      .where("user_id", "in", accounts)
      .where("address", "=", from.address)
      .where("created_date", ">", from.since),
  );
  return new Set(sessions.map(({ user_id }) => user_id));
}

/** An account as audit entries name it. */
export interface AccountIdentity extends Row<"staff_user", "id" | "name"> {
  disabled: boolean;
  practices: number[];
}

const IDENTITY = sql`u.id, u.name, u.disabled_date IS NOT NULL AS disabled,
  ${PRACTICES} AS practices`;

/** Lists the accounts with an email address, ignoring case, including disabled ones. */
export async function listAccountIdentities(email: string): Promise<AccountIdentity[]> {
  return db.rows<AccountIdentity>(
    sql`SELECT ${IDENTITY} FROM staff_user u WHERE u.email = ${email.toLowerCase()} ORDER BY u.id`,
  );
}

/** Finds an account, even if it is disabled. */
export async function findAccountIdentity(id: number): Promise<AccountIdentity | null> {
  return db.first<AccountIdentity>(sql`SELECT ${IDENTITY} FROM staff_user u WHERE u.id = ${id}`);
}

/** A session, open or ended, with its user. */
export interface StoredSession
  extends AccountIdentity,
    Row<"staff_session", "created_date" | "seen_date" | "ended_date" | "end_reason"> {
  session_id: Row<"staff_session">["id"];
}

/** Finds a session, open or ended. */
export async function findStoredSession(id: string): Promise<StoredSession | null> {
  return db.first<StoredSession>(sql`
    SELECT s.id AS session_id, s.created_date, s.seen_date, s.ended_date, s.end_reason, ${IDENTITY}
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id WHERE s.id = ${id}::uuid`);
}

/** Lists sessions that have expired but were not ended yet. */
export async function listExpiredSessions(limit: number): Promise<StoredSession[]> {
  const { age, idle } = expiryOf();
  return db.rows<StoredSession>(sql`
    SELECT s.id AS session_id, s.created_date, s.seen_date, s.ended_date, s.end_reason, ${IDENTITY}
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id
    WHERE s.ended_date IS NULL AND (${age} OR ${idle})
    ORDER BY s.seen_date LIMIT ${limit}`);
}
