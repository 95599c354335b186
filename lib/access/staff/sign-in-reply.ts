import { clock } from "@/lib/platform/clock";
import { publicOrigin } from "@/lib/platform/config";
import { valueOfCookie } from "./access";
import { DEVICE_COOKIES, DEVICE_DAYS, rememberDevice } from "./known-devices";
import { isSecure } from "./sign-in";
import type { SignInOutcome } from "./sign-in-commands";

/**
 * The answer to a sign-in request: next-auth's, except that a try over a limit is a 429 with Retry-After, and that a browser
 * that signed in is remembered (ADR 0101).
 */
export function replyToSignIn(request: Request, response: Response, outcome: SignInOutcome | null): Response {
  if (outcome?.kind === "throttled") return tooMany("throttled", outcome.throttled.retryAfterSeconds);
  if (outcome?.kind === "busy") return tooMany("busy", outcome.retryAfterSeconds);
  if (outcome?.kind !== "signed_in") return response;
  const headers = new Headers(response.headers);
  headers.append("set-cookie", deviceCookie(request, outcome.user.id));
  return new Response(response.body, { status: response.status, headers });
}

const REASONS = {
  throttled: "Too many wrong passwords.",
  busy: "Too many people are signing in at the moment. Your password was not checked.",
};

/** The shape of next-auth's own refusals (`url`, with a word for the sign-in page), and the API's. */
function tooMany(error: keyof typeof REASONS, seconds: number): Response {
  const detail = `${REASONS[error]} Try again in ${seconds} s.`;
  const body = { url: `${publicOrigin()}/sign-in?error=${error}`, detail, code: "rate_limited" };
  const headers = { "retry-after": String(seconds), "cache-control": "no-store" };
  return Response.json(body, { status: 429, headers });
}

function deviceCookie(request: Request, account: number): string {
  const secure = isSecure();
  const name = secure ? DEVICE_COOKIES.secure : DEVICE_COOKIES.plain;
  const value = rememberDevice(valueOfCookie(request.headers.get("cookie"), name), account, clock.now());
  const flags = [
    "Path=/",
    `Max-Age=${DEVICE_DAYS * 86_400}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(secure ? ["Secure"] : []),
  ];
  return [`${name}=${value}`, ...flags].join("; ");
}
