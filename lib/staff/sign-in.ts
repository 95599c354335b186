import type { AuthOptions } from "next-auth";
import credentials from "next-auth/providers/credentials";
import { config } from "@/lib/config";
import { addressOf } from "@/lib/http/client-address";
import { log } from "@/lib/log";
import { SESSION_COOKIES, sessionSecret } from "./access";
import { endSession, startSession } from "./commands";
import { hashPassword, verifyPassword } from "./passwords";
import { findStaffUser, type StaffUser } from "./queries";
import { countTry, forgetTries } from "./throttle-commands";

const LONGEST_PASSWORD = 200;
let nobodysHash: Promise<string> | undefined;

/**
 * next-auth's options for one request: credentials, an OpenID provider where the settings name one, and a sealed cookie that
 * holds nothing but the session's id (design §9).
 */
export function signInOptions(request: Request): AuthOptions {
  const { STAFF_SESSION_HOURS } = config();
  const secure = isSecure(request);
  const maxAge = STAFF_SESSION_HOURS * 3_600;
  const prefix = secure ? "__Host-crosswalk" : "crosswalk";
  const options = { httpOnly: true, sameSite: "lax" as const, path: "/", secure };
  return {
    secret: sessionSecret(),
    session: { strategy: "jwt", maxAge, updateAge: maxAge },
    useSecureCookies: secure,
    cookies: {
      sessionToken: { name: secure ? SESSION_COOKIES.secure : SESSION_COOKIES.plain, options },
      csrfToken: { name: `${prefix}-csrf`, options },
      callbackUrl: { name: `${prefix}-to`, options },
      state: { name: `${prefix}-state`, options: { ...options, maxAge: 900 } },
      pkceCodeVerifier: { name: `${prefix}-pkce`, options: { ...options, maxAge: 900 } },
      nonce: { name: `${prefix}-nonce`, options },
    },
    pages: { signIn: "/sign-in", error: "/sign-in", signOut: "/sign-in" },
    providers: [passwordProvider(request), ...openIdProviders()],
    // Its own goes to the console, with whatever hangs on an error: an ID token, the address in it.
    logger: {
      error: (code, details) => log.warn({ err: causeOf(details), code }, "next-auth failed"),
      warn: () => {},
      debug: () => {},
    },
    callbacks: {
      async signIn({ account, profile, user }) {
        if (account?.provider !== "oidc") return true;
        return withoutDetails(async () => {
          const known = profile?.email && isVerified(profile) ? await findMember(profile.email) : null;
          if (!known) return "/sign-in?error=unknown";
          Object.assign(user, { sid: await startSession(known.id, whereFrom(request)) });
          return true;
        });
      },
      jwt: ({ token, user }) => (user ? { sid: (user as { sid?: string }).sid } : { sid: token.sid }),
      // Nothing of the session is for scripts in the page: what they may know, pages give them.
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid === "string") await endSession(token.sid);
      },
    },
  };
}

/** Plain HTTP is taken from the machine itself alone: there is no wire to listen on. */
function isSecure(request: Request): boolean {
  const { PUBLIC_URL } = config();
  const url = new URL(PUBLIC_URL ?? request.url);
  const proto = PUBLIC_URL ? null : request.headers.get("x-forwarded-proto");
  if (url.protocol === "https:" || proto === "https") return true;
  const host = PUBLIC_URL
    ? url.host
    : (request.headers.get("x-forwarded-host") ?? request.headers.get("host") ?? url.host);
  return !/^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host);
}

function passwordProvider(request: Request) {
  return credentials({
    credentials: { email: {}, password: {} },
    async authorize(given) {
      const email = String(given?.email ?? "")
        .trim()
        .toLowerCase()
        .slice(0, 254);
      const password = String(given?.password ?? "").slice(0, LONGEST_PASSWORD);
      const trier = { email, address: whereFrom(request).address };
      // Counted before it is checked: a thousand tries at once are a thousand tries.
      if (!(await withoutDetails(() => countTry(trier)))) throw new Error("throttled");
      return withoutDetails(async () => {
        const user = await findMember(email);
        // An unknown address takes as long as a wrong password.
        nobodysHash ??= hashPassword("nobody");
        const right = await verifyPassword(password, user?.passwordHash ?? (await nobodysHash));
        if (!user || !right) return null;
        await forgetTries(trier);
        return { id: String(user.id), sid: await startSession(user.id, whereFrom(request)) };
      });
    },
  });
}

/** next-auth hands an error's message on to the sign-in page: of ours only a word. */
async function withoutDetails<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    log.error({ err: error }, "a sign-in could not be checked");
    throw new Error("unavailable");
  }
}

/** Who belongs to no practice any more has nothing to sign in to. */
async function findMember(email: string): Promise<StaffUser | null> {
  const user = await findStaffUser(email);
  return user && user.practices.length > 0 ? user : null;
}

function openIdProviders(): AuthOptions["providers"] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_NAME } = config();
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET) return [];
  return [
    {
      id: "oidc",
      name: OIDC_NAME,
      type: "oauth",
      wellKnown: `${OIDC_ISSUER.replace(/\/$/, "")}/.well-known/openid-configuration`,
      clientId: OIDC_CLIENT_ID,
      clientSecret: OIDC_CLIENT_SECRET,
      authorization: { params: { scope: "openid email profile" } },
      idToken: true,
      checks: ["pkce", "state", "nonce"],
      profile: (profile: { sub: string; email?: string }) => ({ id: profile.sub, email: profile.email ?? null }),
    },
  ];
}

function causeOf(details: unknown): unknown {
  return details instanceof Error ? details : (details as { error?: unknown } | undefined)?.error;
}

/** An address its provider has not verified is anybody's word. */
function isVerified(profile: object): boolean {
  return (profile as { email_verified?: boolean }).email_verified === true;
}

function whereFrom(request: Request) {
  const header = (name: string) => request.headers.get(name);
  return { address: addressOf(header) || null, userAgent: header("user-agent") };
}
