import { decode } from "next-auth/jwt";
import { clock } from "@/lib/clock";
import { config } from "@/lib/config";
import { type Access, mintAccess } from "@/lib/oauth/access";
import { sign } from "@/lib/signing";
import { touchSession } from "./commands";
import { findOpenSession } from "./queries";
import type { StaffRole } from "./schema";

/** A signed-in member of the staff, with the practices they belong to. */
export interface StaffAccess extends Access {
  readonly role: StaffRole;
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
  // Under HTTPS the plain name is nobody's but an attacker's, who put it there from a neighbouring host.
  const plain = config().PUBLIC_URL?.startsWith("https:") ? null : cookieOf(cookies, SESSION_COOKIES.plain);
  const sealed = cookieOf(cookies, SESSION_COOKIES.secure) ?? plain;
  const id = sealed ? await sessionIdOf(sealed) : null;
  if (!id) return null;
  const { STAFF_SESSION_HOURS, STAFF_IDLE_MINUTES } = config();
  const now = clock.now().getTime();
  const longestMs = STAFF_SESSION_HOURS * 3_600_000;
  const session = await findOpenSession(id, {
    bornAfter: new Date(now - longestMs).toISOString(),
    seenAfter: new Date(now - STAFF_IDLE_MINUTES * 60_000).toISOString(),
  });
  if (!session) return null;
  if (use === "person" && Date.parse(session.seen_date) < now - TOUCH_MS) await touchSession(id);
  const { user_id, name, email, role, practices } = session;
  const endsDate = new Date(Date.parse(session.created_date) + longestMs).toISOString();
  return mintAccess({ practices, actor: { type: "staff", id: user_id, name }, role, email, sessionId: id, endsDate });
}

/** The same, of one practice alone; null where the user does not belong to it. */
export function narrowTo(access: StaffAccess, practice: number): StaffAccess | null {
  return access.practices.includes(practice) ? mintAccess({ ...access, practices: [practice] }) : null;
}

async function sessionIdOf(sealed: string): Promise<string | null> {
  const token = await decode({ token: sealed, secret: sessionSecret() }).catch(() => null);
  return typeof token?.sid === "string" && UUID.test(token.sid) ? token.sid : null;
}

function cookieOf(header: string | null, name: string): string | null {
  for (const part of header?.split(";") ?? []) {
    const [key, value] = part.split("=", 2);
    if (key?.trim() === name && value) return value.trim();
  }
  return null;
}
