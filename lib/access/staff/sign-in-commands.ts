import { clock } from "@/lib/platform/clock";
import { QueueFullError } from "@/lib/platform/jobs/work-queue";
import { startSession } from "./commands";
import { findDevice } from "./known-devices";
import { decoyHash, verifyPasswords } from "./passwords";
import { listSignedInFrom, listStaffUsers, type StaffUser } from "./queries";
import { MAX_PASSWORD } from "./schema";
import { countTries, forgetTries, type PasswordTry, type Throttled, takeBack } from "./throttle-commands";

/** One character more than any account has, so that longer input never matches. Normalizing 60 KB of accents would block the server. */
const LONGEST_EMAIL = 254 + 1;
const LONGEST_PASSWORD = MAX_PASSWORD + 1;
/** For how long an address is known that an account has signed in from. */
const KNOWN_ADDRESS_MS = 90 * 86_400_000;

/** Where a sign-in comes from. */
export interface SignInOrigin {
  address: string | null;
  userAgent: string | null;
  /** The cookie by which the browser is known again, or null. */
  deviceCookie: string | null;
}

/** How a sign-in ended. `busy`: no password was checked. */
export type SignInOutcome =
  | { kind: "signed_in"; user: StaffUser; sessionId: string; method: "password" | "openid" }
  /** The password is right for the accounts of several organizations, and none was named. */
  | { kind: "choose_organization"; accounts: readonly StaffUser[] }
  | { kind: "wrong_password"; email: string }
  /** `accounts`: ids of the accounts over a limit, whose password was not checked; empty if no account has this address. */
  | { kind: "throttled"; email: string; throttled: Throttled; accounts: readonly number[] }
  | { kind: "busy"; email: string; retryAfterSeconds: number }
  | { kind: "unknown_openid_user"; email: string | null };

/**
 * Signs in with an e-mail address and a password, within the limits on wrong passwords and on hashes at once
 * (ADR 0101). What a known browser or address sends is checked before the rest.
 *
 * @param given `organization`: the id of the account's, where there are several with this address and password
 */
export async function signInWithPassword(
  given: { email: string; password: string; organization: string },
  from: SignInOrigin,
): Promise<SignInOutcome> {
  const email = given.email.trim().toLowerCase().slice(0, LONGEST_EMAIL);
  const members = await listMembers(email);
  const { counted, throttled } = await countTries(await triesOf(email, members, from));
  const isCounted = ({ id }: StaffUser) => counted.some(({ account }) => account === id);
  const overLimit = members.filter((member) => !isCounted(member)).map(({ id }) => id);
  const refusal = throttled && ({ kind: "throttled", email, throttled, accounts: overLimit } as const);
  if (refusal && counted.length === 0) return refusal;
  const accounts = members.filter(isCounted);
  const password = given.password.slice(0, LONGEST_PASSWORD);
  // An unknown address takes as long as a wrong password, and so do the accounts of several organizations.
  const hashes = accounts.length > 0 ? accounts.map(({ password_hash }) => password_hash) : [decoyHash()];
  const urgent = counted.some(({ device, knownAddress }) => device !== null || knownAddress);
  const right = await verifyPasswords(password, hashes, { urgent }).catch(queueFull);
  if (right instanceof QueueFullError) {
    await takeBack(counted);
    return { kind: "busy", email, retryAfterSeconds: right.retryAfterSeconds ?? 1 };
  }
  const own = accounts.filter((_account, at) => right[at]);
  if (own.length === 0) return refusal ?? { kind: "wrong_password", email };
  await forgetTries(counted, new Set(own.map(({ id }) => id)));
  const chosen = own.find(({ organization_id }) => String(organization_id) === given.organization);
  const user = own.length === 1 ? own[0] : chosen;
  if (!user) return { kind: "choose_organization", accounts: own };
  return { kind: "signed_in", user, sessionId: await startSession(user.id, from), method: "password" };
}

/**
 * Signs in whoever an OpenID provider vouches for; `email` is null where it has not verified one.
 *
 * @param practice the one whose page was asked for: with accounts in several organizations, that one's is meant
 */
export async function signInWithOpenId(
  given: { email: string | null; practice: number | null },
  from: SignInOrigin,
): Promise<SignInOutcome> {
  const accounts = given.email ? await listMembers(given.email) : [];
  // Else the last used.
  const user = accounts.find(({ practices }) => practices.some((id) => id === given.practice)) ?? accounts[0];
  if (!user) return { kind: "unknown_openid_user", email: given.email };
  return { kind: "signed_in", user, sessionId: await startSession(user.id, from), method: "openid" };
}

async function triesOf(
  email: string,
  members: readonly StaffUser[],
  { address, deviceCookie }: SignInOrigin,
): Promise<PasswordTry[]> {
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

/** Who belongs to no practice any more has nothing to sign in to. */
async function listMembers(email: string): Promise<StaffUser[]> {
  return (await listStaffUsers(email)).filter(({ practices }) => practices.length > 0);
}

function queueFull(error: unknown): QueueFullError {
  if (error instanceof QueueFullError) return error;
  throw error;
}
