import { ANONYMOUS, type SecurityEventName } from "@/lib/access/audit/events";
import { auditRejection, auditSecurity, auditSecurityIn } from "@/lib/access/audit/security-commands";
import { type Access, type Origin, systemOrigin } from "@/lib/access/identity/access";
import { transaction } from "@/lib/platform/db/transaction";
import { endExpiredSession, endSession } from "./commands";
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
  const session = await findStoredSession(sessionId);
  if (!session) return;
  await transaction(async (tx) => {
    if (!(await endSession(tx, sessionId, "signed_out"))) return;
    const { practices } = session;
    await auditSecurityIn(tx, [{ name: "session.signed_out", origin: asAccount(origin, session), practices }]);
  });
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
  const sessions = await listExpiredSessions(MAX_EXPIRED);
  const origin = systemOrigin({ name: "Housekeeping", source: "staff", operation: "staff.end_expired_sessions" });
  for (const session of sessions) await expire(session, origin);
}

/** Ends a session and audits it, unless it was used meanwhile. */
async function expire({ session_id, practices, seen_date, ...account }: StoredSession, origin: Origin): Promise<void> {
  await transaction(async (tx) => {
    const reason = await endExpiredSession(tx, session_id);
    if (reason === null) return;
    const by = { ...origin, actor: ANONYMOUS };
    const event = { about: aboutAccount({ ...account, practices }), cause: reason, facts: { last_used: seen_date } };
    await auditSecurityIn(tx, [{ name: "session.expired", origin: by, practices, ...event }]);
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
