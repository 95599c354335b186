import { clock } from "@/lib/platform/clock";
import { QueueFullError } from "@/lib/platform/jobs/work-queue";
import { startSession } from "./commands";
import { findDevice } from "./known-devices";
import { decoyHash, verifyPasswords } from "./passwords";
import { listSignedInFrom, listStaffUsers, type StaffUser } from "./queries";
import { MAX_PASSWORD_LENGTH } from "./schema";
import {
  countAttempts,
  type PasswordAttempt,
  resetAttempts,
  type Throttled,
  uncountAttempts,
} from "./throttle-commands";

/** Input is cut to one character more than any account has, so that it can't match. Normalizing very long input would block the server. */
const MAX_EMAIL_INPUT = 254 + 1;
const MAX_PASSWORD_INPUT = MAX_PASSWORD_LENGTH + 1;
/** Time after a sign-in for which an account's address counts as known. */
const KNOWN_ADDRESS_MS = 90 * 86_400_000;

/** Where a sign-in comes from. */
export interface SignInOrigin {
  address: string | null;
  userAgent: string | null;
  /** The cookie that identifies the browser, or null. */
  deviceCookie: string | null;
}

/** The outcome of a sign-in. If it is `busy`, no password was checked. */
export type SignInOutcome =
  | { kind: "signed_in"; user: StaffUser; sessionId: string; method: "password" | "openid" }
  /** The password matches accounts of several organizations, and none was selected. */
  | { kind: "choose_organization"; accounts: readonly StaffUser[] }
  | { kind: "wrong_password"; email: string }
  /** `accounts`: IDs of the accounts over a limit, whose password was not checked. Empty if no account has this email address. */
  | { kind: "throttled"; email: string; throttled: Throttled; accounts: readonly number[] }
  | { kind: "busy"; email: string; retryAfterSeconds: number }
  | { kind: "unknown_openid_user"; email: string | null };

/**
 * Signs in with an email address and a password, within the limits on wrong passwords and concurrent hashes (ADR 0101). Passwords from
 * a known browser or address are checked first.
 *
 * @param given.organization ID of the account's organization, if several accounts match
 */
export async function signInWithPassword(
  given: { email: string; password: string; organization: string },
  from: SignInOrigin,
): Promise<SignInOutcome> {
  const email = given.email.trim().toLowerCase().slice(0, MAX_EMAIL_INPUT);
  const members = await listMembers(email);
  const { counted, throttled } = await countAttempts(await listAttempts(email, members, from));
  const isCounted = ({ id }: StaffUser) => counted.some(({ account }) => account === id);
  const overLimit = members.filter((member) => !isCounted(member)).map(({ id }) => id);
  const throttledOutcome = throttled && ({ kind: "throttled", email, throttled, accounts: overLimit } as const);
  if (throttledOutcome && counted.length === 0) return throttledOutcome;
  const accounts = members.filter(isCounted);
  const password = given.password.slice(0, MAX_PASSWORD_INPUT);
  // An unknown address takes as long as a wrong password, and so do the accounts of several organizations.
  const hashes = accounts.length > 0 ? accounts.map(({ password_hash }) => password_hash) : [decoyHash()];
  const urgent = counted.some(({ device, knownAddress }) => device !== null || knownAddress);
  const matches = await verifyPasswords(password, hashes, { urgent }).catch(queueFull);
  if (matches instanceof QueueFullError) {
    await uncountAttempts(counted);
    return { kind: "busy", email, retryAfterSeconds: matches.retryAfterSeconds ?? 1 };
  }
  const matching = accounts.filter((_account, at) => matches[at]);
  if (matching.length === 0) return throttledOutcome ?? { kind: "wrong_password", email };
  await resetAttempts(counted, new Set(matching.map(({ id }) => id)));
  const chosen = matching.find(({ organization_id }) => String(organization_id) === given.organization);
  const user = matching.length === 1 ? matching[0] : chosen;
  if (!user) return { kind: "choose_organization", accounts: matching };
  const sessionId = await startSession(user.id, from, user.password_hash);
  return sessionId === null
    ? { kind: "wrong_password", email }
    : { kind: "signed_in", user, sessionId, method: "password" };
}

/**
 * Signs in a user whom an OpenID provider has authenticated.
 *
 * @param given.email null if the provider has not verified it
 * @param given.practice the practice whose page was requested, which selects one of several accounts
 */
export async function signInWithOpenId(
  given: { email: string | null; practice: number | null },
  from: SignInOrigin,
): Promise<SignInOutcome> {
  const accounts = given.email ? await listMembers(given.email) : [];
  // Without such an account, the last used one is selected.
  const user = accounts.find(({ practices }) => practices.some((id) => id === given.practice)) ?? accounts[0];
  const sessionId = user ? await startSession(user.id, from) : null;
  if (!user || sessionId === null) return { kind: "unknown_openid_user", email: given.email };
  return { kind: "signed_in", user, sessionId, method: "openid" };
}

async function listAttempts(
  email: string,
  members: readonly StaffUser[],
  { address, deviceCookie }: SignInOrigin,
): Promise<PasswordAttempt[]> {
  const now = clock.now();
  const since = new Date(now.getTime() - KNOWN_ADDRESS_MS).toISOString();
  const ids = members.map(({ id }) => id);
  const known = address === null ? new Set<number>() : await listSignedInFrom(ids, { address, since });
  if (ids.length === 0) return [{ account: null, email, address, device: null, knownAddress: false }];
  return ids.map((account) => {
    return {
      account,
      email,
      address,
      device: findDevice(deviceCookie, account, now),
      knownAddress: known.has(account),
    };
  });
}

/** Lists accounts that belong to a practice. The others have nothing to sign in to. */
async function listMembers(email: string): Promise<StaffUser[]> {
  return (await listStaffUsers(email)).filter(({ practices }) => practices.length > 0);
}

function queueFull(error: unknown): QueueFullError {
  if (error instanceof QueueFullError) return error;
  throw error;
}
