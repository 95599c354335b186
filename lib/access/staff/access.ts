import { decode } from "next-auth/jwt";
import { type Access, mintAccess, type Origin } from "@/lib/access/identity/access";
import { config } from "@/lib/platform/config";
import { sign } from "@/lib/platform/signing";
import { auditRejectedSession } from "./audit-commands";
import { touchSession } from "./commands";
import { findOpenSession } from "./queries";
import type { StaffRole } from "./roles";

/** The access of a signed-in staff user. */
export interface StaffAccess extends Access {
  readonly role: StaffRole;
  /** May export data as files. */
  readonly canExport: boolean;
  readonly email: string;
  readonly sessionId: string;
  /** The latest time the session can end, ISO 8601. */
  readonly endsDate: string;
}

/** Names of the session cookie. Browsers accept the `__Host-` prefix only with HTTPS; plain HTTP is for local use. */
export const SESSION_COOKIES = { secure: "__Host-crosswalk-session", plain: "crosswalk-session" } as const;

/** Returns the key that encrypts the session cookie. */
export const sessionSecret = () => sign("staff-session", "cookie");

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the access of the session in a Cookie header, with the user's current role and practices. Returns null if there is no
 * session, or if it was ended or has expired.
 *
 * @param use `background` for requests that a page makes automatically. They don't extend the session.
 */
export async function findStaffAccess(
  cookies: string | null,
  use: "person" | "background",
): Promise<StaffAccess | null> {
  const id = await readSessionId(cookies);
  if (!id) return null;
  const longestMs = config().STAFF_SESSION_HOURS * 3_600_000;
  const session = await findOpenSession(id);
  if (!session) return null;
  if (use === "person" && session.is_stale) await touchSession(id);
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

/** Narrows an access to one practice. Returns null if the user doesn't belong to it. */
export function narrowTo(access: StaffAccess, practice: number): StaffAccess | null {
  return access.practices.includes(practice) ? mintAccess({ ...access, practices: [practice] }) : null;
}

/** Audits a rejected call whose cookie names a session that has ended. */
export async function auditSessionlessCall(cookies: string | null, origin: Origin): Promise<void> {
  const id = await readSessionId(cookies);
  if (id) await auditRejectedSession(id, origin);
}

async function readSessionId(cookies: string | null): Promise<string | null> {
  // With HTTPS, a cookie with the plain name may come from an attacker on a neighboring host.
  const plain = config().PUBLIC_URL?.startsWith("https:") ? null : readCookie(cookies, SESSION_COOKIES.plain);
  const cookie = readCookie(cookies, SESSION_COOKIES.secure) ?? plain;
  if (!cookie) return null;
  const token = await decode({ token: cookie, secret: sessionSecret() }).catch(() => null);
  return typeof token?.sid === "string" && UUID.test(token.sid) ? token.sid : null;
}

/** Returns the value of a cookie, or null. */
export function readCookie(header: string | null, name: string): string | null {
  for (const part of header?.split(";") ?? []) {
    const [key, value] = part.split("=", 2);
    if (key?.trim() === name && value) return value.trim();
  }
  return null;
}
