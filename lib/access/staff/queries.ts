import { organizationNameOf } from "@/lib/access/tenancy/organizations";
import type { Row } from "@/lib/platform/db/rows";
import { db, sql } from "@/lib/platform/db/sql";

/** An account as the sign-in needs it. */
export interface StaffUser
  extends Row<"staff_user", "id" | "organization_id" | "email" | "name" | "role" | "password_hash"> {
  organization: string;
  practices: number[];
}

const OWN_PRACTICES = sql`coalesce((SELECT json_agg(m.practice_id ORDER BY m.practice_id) FROM staff_user_practice m
  WHERE m.user_id = u.id), '[]')`;

/** The enabled accounts with this e-mail address, in any case: one in each organization at most, last used first. */
export async function listStaffUsers(email: string): Promise<StaffUser[]> {
  return db.rows<StaffUser>(sql`
    SELECT u.id, u.organization_id, ${organizationNameOf(sql`u.organization_id`)} AS organization, u.email, u.name, u.role,
      u.password_hash, ${OWN_PRACTICES} AS practices
    FROM staff_user u WHERE u.email = ${email.toLowerCase()} AND u.disabled_date IS NULL
    ORDER BY (SELECT max(s.seen_date) FROM staff_session s WHERE s.user_id = u.id) DESC NULLS LAST, u.id`);
}

/** The password hash of some account with this address, disabled or not; null where nobody has it. */
export async function findSiblingHash(email: string): Promise<string | null> {
  const row = await db.first<Row<"staff_user", "password_hash">>(
    sql`SELECT password_hash FROM staff_user WHERE email = ${email.toLowerCase()} ORDER BY id LIMIT 1`,
  );
  return row?.password_hash ?? null;
}

/** A session that is not over, with its user. */
export interface OpenSession
  extends Row<"staff_session", "id" | "user_id" | "created_date" | "seen_date">,
    Row<"staff_user", "name" | "email" | "role" | "can_export"> {
  practices: number[];
}

/**
 * The session of this id, unless it was ended, began before `bornAfter` or was last used before `seenAfter` (ISO 8601), or
 * its user is disabled.
 */
export async function findOpenSession(
  id: string,
  limits: { bornAfter: string; seenAfter: string },
): Promise<OpenSession | null> {
  return db.first<OpenSession>(sql`
    SELECT s.id, u.id AS user_id, u.name, u.email, u.role, u.role = 'admin' OR u.can_export AS can_export,
      s.created_date, s.seen_date, ${OWN_PRACTICES} AS practices
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id
    WHERE s.id = ${id}::uuid AND s.ended_date IS NULL AND u.disabled_date IS NULL
      AND s.created_date > ${limits.bornAfter} AND s.seen_date > ${limits.seenAfter}`);
}

/** Which of these accounts have signed in from this network address since then (ISO 8601). */
export async function listSignedInFrom(
  accounts: readonly number[],
  from: { address: string; since: string },
): Promise<Set<number>> {
  const rows = await db.rows<Row<"staff_session", "user_id">>(sql`
    SELECT DISTINCT user_id FROM staff_session
    WHERE user_id = ANY(${[...accounts]}::bigint[]) AND address = ${from.address} AND created_date > ${from.since}`);
  return new Set(rows.map(({ user_id }) => user_id));
}

/** An account as an audit entry names it, disabled or not. */
export interface AccountIdentity extends Row<"staff_user", "id" | "name"> {
  disabled: boolean;
  practices: number[];
}

const IDENTITY = sql`u.id, u.name, u.disabled_date IS NOT NULL AS disabled,
  ${OWN_PRACTICES} AS practices`;

/** The accounts with this e-mail address, in any case. */
export async function listAccountIdentities(email: string): Promise<AccountIdentity[]> {
  return db.rows<AccountIdentity>(
    sql`SELECT ${IDENTITY} FROM staff_user u WHERE u.email = ${email.toLowerCase()} ORDER BY u.id`,
  );
}

/** The account of this id; null where there is none. */
export async function findAccountIdentity(id: number): Promise<AccountIdentity | null> {
  return db.first<AccountIdentity>(sql`SELECT ${IDENTITY} FROM staff_user u WHERE u.id = ${id}`);
}

/** What became of a session, open or not, with its user. */
export interface SessionFate
  extends AccountIdentity,
    Row<"staff_session", "created_date" | "seen_date" | "ended_date" | "end_reason"> {
  session_id: string;
}

/** The session of this id, whether it is over or not; null where nobody knows it. */
export async function findSessionFate(id: string): Promise<SessionFate | null> {
  return db.first<SessionFate>(sql`
    SELECT s.id AS session_id, s.created_date, s.seen_date, s.ended_date, s.end_reason, ${IDENTITY}
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id WHERE s.id = ${id}::uuid`);
}

/** Sessions that nobody ended, though they began before `bornAfter` or were last used before `seenAfter` (ISO 8601). */
export async function listExpiredSessions(
  limits: { bornAfter: string; seenAfter: string },
  most: number,
): Promise<SessionFate[]> {
  return db.rows<SessionFate>(sql`
    SELECT s.id AS session_id, s.created_date, s.seen_date, s.ended_date, s.end_reason, ${IDENTITY}
    FROM staff_session s JOIN staff_user u ON u.id = s.user_id
    WHERE s.ended_date IS NULL AND (s.created_date <= ${limits.bornAfter} OR s.seen_date <= ${limits.seenAfter})
    ORDER BY s.seen_date LIMIT ${most}`);
}
