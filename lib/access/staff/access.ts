import { decode } from "next-auth/jwt";
import { type Access, mintAccess, type Origin } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { sign } from "@/lib/platform/signing";
import { auditRejectedSession, sessionLimits } from "./audit-commands";
import { touchSession } from "./commands";
import { findOpenSession } from "./queries";
import type { StaffRole } from "./schema";

/** A signed-in member of the staff, with the practices they belong to. */
export interface StaffAccess extends Access {
  readonly role: StaffRole;
  /** May take data away as files. */
  readonly canExport: boolean;
  readonly email: string;
  readonly sessionId: string;
  /** When the session ends at the latest, ISO 8601. */
  readonly endsDate: string;
}

/** Names of the session's cookie: with the prefix browsers keep for HTTPS, and without, for plain HTTP on one's own machine. */
export const SESSION_COOKIES = { secure: "__Host-crosswalk-session", plain: "crosswalk-session" } as const;

/** The key the session's cookie is sealed with. */
export const sessionSecret = () => sign("staff-session", "cookie");

/** A person's use is noted so often. */
const TOUCH_MS = 60_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Who is signed in, from a Cookie header; null for nobody, and for a session that was ended, rested or lasted too long.
 * Role and practices are the present ones, not those of the sign-in.
 *
 * @param use `background` for what a page asks by itself, which does not keep a session alive
 */
export async function findStaffAccess(
  cookies: string | null,
  use: "person" | "background",
): Promise<StaffAccess | null> {
  const id = await sessionIdIn(cookies);
  if (!id) return null;
  const now = clock.now().getTime();
  const longestMs = config().STAFF_SESSION_HOURS * 3_600_000;
  const session = await findOpenSession(id, sessionLimits());
  if (!session) return null;
  if (use === "person" && Date.parse(session.seen_date) < now - TOUCH_MS) await touchSession(id);
  const { user_id, name, email, role, can_export: canExport, practices } = session;
  const endsDate = new Date(Date.parse(session.created_date) + longestMs).toISOString();
  return mintAccess({
    practices,
    actor: { type: "staff", id: user_id, name },
    role,
    canExport,
    email,
    sessionId: id,
    endsDate,
  });
}

/** The same, of one practice alone; null where the user does not belong to it. */
export function narrowTo(access: StaffAccess, practice: number): StaffAccess | null {
  return access.practices.includes(practice) ? mintAccess({ ...access, practices: [practice] }) : null;
}

/** Audits a call that was refused for want of an open session, where its cookie names one that is over. */
export async function auditSessionlessCall(cookies: string | null, origin: Origin): Promise<void> {
  const id = await sessionIdIn(cookies);
  if (id) await auditRejectedSession(id, origin);
}

async function sessionIdIn(cookies: string | null): Promise<string | null> {
  // Under HTTPS the plain name is nobody's but an attacker's, who put it there from a neighboring host.
  const plain = config().PUBLIC_URL?.startsWith("https:") ? null : valueOfCookie(cookies, SESSION_COOKIES.plain);
  const sealed = valueOfCookie(cookies, SESSION_COOKIES.secure) ?? plain;
  return sealed ? sessionIdOf(sealed) : null;
}

async function sessionIdOf(sealed: string): Promise<string | null> {
  const token = await decode({ token: sealed, secret: sessionSecret() }).catch(() => null);
  return typeof token?.sid === "string" && UUID.test(token.sid) ? token.sid : null;
}

/** The value a Cookie header has for this name, or null. */
export function valueOfCookie(header: string | null, name: string): string | null {
  for (const part of header?.split(";") ?? []) {
    const [key, value] = part.split("=", 2);
    if (key?.trim() === name && value) return value.trim();
  }
  return null;
}
