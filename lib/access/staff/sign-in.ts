import type { AuthOptions } from "next-auth";
import credentials from "next-auth/providers/credentials";
import { ANONYMOUS } from "@/lib/access/audit/events";
import type { Origin } from "@/lib/access/identity/access";
import { clock } from "@/lib/platform/clock";
import { config, publicOrigin } from "@/lib/platform/config";
import { clientAddress, toRequestId } from "@/lib/platform/http/request";
import { log } from "@/lib/platform/log";
import { property } from "@/lib/platform/objects";
import { isLoopback } from "@/lib/platform/setting-types";
import { readCookie, SESSION_COOKIES, sessionSecret } from "./access";
import { auditFailedSignIn, auditSignIn, auditUnchosen, signOut } from "./audit-commands";
import { DEVICE_COOKIES, DEVICE_DAYS, rememberDevice } from "./known-devices";
import type { StaffUser } from "./queries";
import { CHOOSE_ORGANIZATION } from "./roles";
import { type SignInOrigin, type SignInOutcome, signInWithOpenId, signInWithPassword } from "./sign-in-commands";

/**
 * Returns the options of next-auth for a request: passwords, an OpenID provider if it is configured, and an encrypted cookie that
 * contains only the session ID.
 *
 * @param onOutcome called once for each sign-in, successful or not
 * @param onFailedSignOut called if the session could not be ended, because next-auth would ignore it
 */
export function signInOptions(
  request: Request,
  onOutcome: (outcome: SignInOutcome) => void,
  onFailedSignOut: (error: unknown) => void,
): AuthOptions {
  const { STAFF_SESSION_HOURS } = config();
  const secure = isSecure();
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
    providers: [passwordProvider(request, onOutcome), ...openIdProviders()],
    // The default logger would print all details of an error, such as an ID token and the email address in it.
    logger: {
      error: (code, details) =>
        log.warn({ err: causeOf(details), code, request: requestIdOf(request) }, "next-auth failed"),
      warn: () => {},
      debug: () => {},
    },
    callbacks: {
      async signIn({ account, profile, user }) {
        if (account?.provider !== "oidc") return true;
        return withoutDetails(request, async () => {
          const email = profile?.email && isVerified(profile) ? profile.email : null;
          const outcome = await signInWithOpenId({ email, practice: requestedPractice(request) }, whereFrom(request));
          await auditOutcome(outcome, request);
          onOutcome(outcome);
          if (outcome.kind !== "signed_in") return "/sign-in?error=unknown";
          Object.assign(user, { sid: outcome.sessionId });
          return true;
        });
      },
      jwt: ({ token, user }) => (user ? { sid: property(user, "sid") } : { sid: token.sid }),
      // Scripts in the page get nothing from the session. Pages pass them what they need.
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.sid === "string") await signOut(token.sid, originOf(request)).catch(onFailedSignOut);
      },
    },
  };
}

function passwordProvider(request: Request, onOutcome: (outcome: SignInOutcome) => void) {
  return credentials({
    credentials: { email: {}, password: {}, organization: {} },
    async authorize(given) {
      const { email = "", password = "", organization = "" } = given ?? {};
      const outcome = await withoutDetails(request, async () => {
        const typed = {
          email: String(email),
          password: String(password),
          organization: String(organization),
        };
        const found = await signInWithPassword(typed, whereFrom(request));
        await auditOutcome(found, request);
        return found;
      });
      onOutcome(outcome);
      if (outcome.kind === "choose_organization") throw new Error(chooseOrganization(outcome.accounts));
      return outcome.kind === "signed_in" ? { id: String(outcome.user.id), sid: outcome.sessionId } : null;
    },
  });
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

/** Hides the details of errors, because next-auth passes their messages to the sign-in page. */
async function withoutDetails<T>(request: Request, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    log.error({ err: error, request: requestIdOf(request) }, "could not check a sign-in");
    throw new Error("unavailable");
  }
}

/**
 * Returns the response to a sign-in: a 429 with Retry-After if a limit was reached, otherwise that of next-auth, with a cookie that
 * identifies the browser after a sign-in (ADR 0101).
 */
export function replyToSignIn(request: Request, response: Response, outcome: SignInOutcome | null): Response {
  if (outcome?.kind === "throttled") return tooMany("throttled", outcome.throttled.retryAfterSeconds);
  if (outcome?.kind === "busy") return tooMany("busy", outcome.retryAfterSeconds);
  if (outcome?.kind !== "signed_in") return response;
  const headers = new Headers(response.headers);
  headers.append("set-cookie", deviceCookie(request, outcome.user.id));
  return new Response(response.body, { status: response.status, headers });
}

/** Returns whether cookies require HTTPS. Plain HTTP is only for this machine. */
export function isSecure(): boolean {
  const { protocol, hostname } = new URL(publicOrigin());
  return protocol === "https:" || !isLoopback(hostname);
}

/** Returns the message that asks for an organization, because the password matches accounts of several. */
function chooseOrganization(accounts: readonly StaffUser[]): string {
  const choice = accounts.map(({ organization_id: id, organization: name }) => ({ id, name }));
  return `${CHOOSE_ORGANIZATION}${JSON.stringify(choice)}`;
}

/** Returns the practice whose page was requested before the redirect to the OpenID provider. */
function requestedPractice(request: Request): number | null {
  const asked = /crosswalk-to=[^;]*practices(?:%2F|\/)(\d+)/i.exec(request.headers.get("cookie") ?? "")?.[1];
  return asked === undefined ? null : Number(asked);
}

function causeOf(details: unknown): unknown {
  return details instanceof Error ? details : property(details, "error");
}

/** Returns whether the provider has verified the email address. Anyone can claim an unverified one. */
function isVerified(profile: object): boolean {
  return property(profile, "email_verified") === true;
}

/** Audits the outcome of a sign-in. If it can't audit a new session, it rejects, so that the cookie is not sent. */
async function auditOutcome(outcome: SignInOutcome, request: Request): Promise<void> {
  const origin = originOf(request);
  if (outcome.kind === "signed_in") {
    const { user, method } = outcome;
    await auditSignIn({ userId: user.id, method }, origin);
  }
  if (outcome.kind === "choose_organization") await auditUnchosen(outcome.accounts, origin);
  if (outcome.kind === "wrong_password") await auditFailedSignIn({ email: outcome.email, method: "password" }, origin);
  if (outcome.kind === "throttled" || outcome.kind === "busy") {
    const throttled = outcome.kind === "throttled" ? outcome.accounts : [];
    await auditFailedSignIn({ email: outcome.email, throttled, method: "password" }, origin);
  }
  if (outcome.kind === "unknown_openid_user")
    await auditFailedSignIn({ email: outcome.email ?? "", method: "openid" }, origin);
}

function originOf(request: Request): Origin {
  const { pathname } = new URL(request.url);
  return {
    actor: ANONYMOUS,
    source: "staff",
    reason: null,
    requestId: requestIdOf(request),
    operation: "staff.sign_in",
    path: pathname,
    address: whereFrom(request).address,
  };
}

const requestIdOf = (request: Request) => toRequestId(request.headers.get("x-request-id"));

function whereFrom(request: Request): SignInOrigin {
  const header = (name: string) => request.headers.get(name);
  const deviceCookie = readCookie(header("cookie"), isSecure() ? DEVICE_COOKIES.secure : DEVICE_COOKIES.plain);
  return { address: clientAddress(header) || null, userAgent: header("user-agent"), deviceCookie };
}

const REASONS = {
  throttled: "Too many wrong passwords.",
  busy: "Too many people are signing in at the moment. Your password was not checked.",
};

/** Returns a 429 that both next-auth's client and ours understand. The `url` names the error for the sign-in page. */
function tooMany(error: keyof typeof REASONS, seconds: number): Response {
  const detail = `${REASONS[error]} Try again in ${seconds} s.`;
  const body = { url: `${publicOrigin()}/sign-in?error=${error}`, detail, code: "rate_limited" };
  const headers = { "retry-after": String(seconds), "cache-control": "no-store" };
  return Response.json(body, { status: 429, headers });
}

function deviceCookie(request: Request, account: number): string {
  const secure = isSecure();
  const name = secure ? DEVICE_COOKIES.secure : DEVICE_COOKIES.plain;
  const value = rememberDevice(readCookie(request.headers.get("cookie"), name), account, clock.now());
  const flags = [
    "Path=/",
    `Max-Age=${DEVICE_DAYS * 86_400}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(secure ? ["Secure"] : []),
  ];
  return [`${name}=${value}`, ...flags].join("; ");
}
