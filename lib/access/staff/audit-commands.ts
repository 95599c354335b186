import { ANONYMOUS, type SecurityEventName } from "@/lib/access/audit/events";
import { auditRejection, auditSecurity } from "@/lib/access/audit/security-commands";
import { type Access, type Origin, systemOrigin } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { endSession } from "./commands";
import {
  type AccountIdentity,
  findAccountIdentity,
  findStoredSession,
  listAccountIdentities,
  listExpiredSessions,
  type StoredSession,
} from "./queries";

/** Number of sessions that one housekeeping run expires. */
const MAX_EXPIRED = 500;

const aboutAccount = ({ id, name }: AccountIdentity) => ({ type: "staff" as const, id, name });
const asAccount = (origin: Origin, { id, name }: AccountIdentity): Origin => ({
  ...origin,
  actor: { type: "staff", id, name },
});

/** Audits a sign-in. Call it before sending the session cookie. */
export async function auditSignIn(
  signedIn: { userId: number; method: "password" | "openid" },
  origin: Origin,
): Promise<void> {
  const account = await findAccountIdentity(signedIn.userId);
  if (!account) throw new Error("no such account");
  const { method } = signedIn;
  const by = asAccount(origin, account);
  await auditSecurity({ name: "sign_in.succeeded", origin: by, practices: account.practices, facts: { method } });
}

/**
 * Audits a rejected sign-in in the practices of each account with the email address, or in the audit of the installation if no account
 * has it. Typed text is not stored.
 *
 * @param attempt.throttled IDs of the accounts over a limit, or empty if all are. For the other accounts, the password was wrong: their
 * practices must not learn that an account of another organization is over its limit.
 */
export async function auditFailedSignIn(
  attempt: { email: string; throttled?: readonly number[]; method: "password" | "openid" },
  origin: Origin,
): Promise<void> {
  const { email, throttled, method } = attempt;
  const nameFor = (isThrottled: boolean): SecurityEventName => (isThrottled ? "sign_in.throttled" : "sign_in.failed");
  const by = { ...origin, actor: ANONYMOUS };
  const accounts = await listAccountIdentities(email).catch(() => []);
  if (accounts.length === 0)
    await auditRejection({
      name: nameFor(throttled !== undefined),
      origin: by,
      practices: [],
      cause: "unknown_account",
      facts: { method },
    });
  for (const account of accounts) {
    const name = nameFor(throttled?.length === 0 || throttled?.includes(account.id) === true);
    const { practices, disabled } = account;
    const wrong = method === "password" ? "wrong_password" : "not_allowed";
    const cause = disabled ? "account_disabled" : practices.length === 0 ? "no_practice" : wrong;
    await auditRejection({ name, origin: by, practices, about: aboutAccount(account), cause, facts: { method } });
  }
}

/** Audits a password that matches several accounts when no organization was selected, so that no session starts. */
export async function auditUnchosen(
  accounts: readonly { id: number; name: string; practices: number[] }[],
  origin: Origin,
): Promise<void> {
  const by = { ...origin, actor: ANONYMOUS };
  for (const { id, name, practices } of accounts) {
    const about = { type: "staff" as const, id, name };
    const [cause, facts] = ["organization_not_chosen", { method: "password" }];
    await auditRejection({ name: "sign_in.failed", origin: by, practices, about, cause, facts });
  }
}

/** Ends a session because its user signs out, and audits it. */
export async function signOut(sessionId: string, origin: Origin): Promise<void> {
  const userId = await endSession(sessionId, "signed_out");
  const account = userId === null ? null : await findAccountIdentity(userId);
  if (!account) return;
  const by = asAccount(origin, account);
  await auditSecurity({ name: "session.signed_out", origin: by, practices: account.practices });
}

/**
 * Audits a call with the cookie of an ended session. A session that has expired but was not ended yet is ended, with its own event.
 * Later calls with an expired session are not audited, because open pages keep polling.
 */
export async function auditRejectedSession(sessionId: string, origin: Origin): Promise<void> {
  const session = await findStoredSession(sessionId).catch(() => null);
  if (!session) return;
  if (session.ended_date === null && !session.disabled) return expire(session, origin);
  if (session.end_reason === "idle" || session.end_reason === "age") return;
  const cause = session.disabled ? "account_disabled" : (session.end_reason ?? "ended");
  await auditRejection({
    name: "session.rejected",
    origin: { ...origin, actor: ANONYMOUS },
    practices: session.practices,
    about: aboutAccount(session),
    cause,
  });
}

/** Ends expired sessions and audits each. */
export async function endExpiredSessions(): Promise<void> {
  const sessions = await listExpiredSessions(sessionLimits(), MAX_EXPIRED);
  const origin = systemOrigin({ name: "Housekeeping", source: "staff", operation: "staff.end_expired_sessions" });
  for (const session of sessions) await expire(session, origin);
}

/** Returns the times that sessions must have started and been used after. Older ones have expired. */
export function sessionLimits(): { startedAfter: string; seenAfter: string } {
  const { STAFF_SESSION_HOURS, STAFF_IDLE_MINUTES } = config();
  const before = (ms: number) => new Date(clock.now().getTime() - ms).toISOString();
  return { startedAfter: before(STAFF_SESSION_HOURS * 3_600_000), seenAfter: before(STAFF_IDLE_MINUTES * 60_000) };
}

async function expire(session: StoredSession, origin: Origin): Promise<void> {
  const { startedAfter, seenAfter } = sessionLimits();
  const isOld = Date.parse(session.created_date) <= Date.parse(startedAfter);
  if (!isOld && Date.parse(session.seen_date) > Date.parse(seenAfter)) return;
  const reason = isOld ? "age" : "idle";
  if ((await endSession(session.session_id, reason)) === null) return;
  await auditSecurity({
    name: "session.expired",
    origin: { ...origin, actor: ANONYMOUS },
    practices: session.practices,
    about: aboutAccount(session),
    cause: reason,
    facts: { last_used: session.seen_date },
  });
}

/** Audits a request that a signed-in user is not allowed to make. */
export async function auditDeniedStaff(
  { actor, practices }: Access,
  denied: { cause: "role" | "other_practice" | "foreign_origin" | "export_right"; needed?: string },
  origin: Origin,
): Promise<void> {
  const { cause, needed } = denied;
  await auditRejection({
    name: "access.denied",
    origin: { ...origin, actor },
    practices,
    cause,
    ...(needed === undefined ? {} : { facts: { needed } }),
  });
}
