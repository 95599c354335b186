// Signing in with an OpenID provider, against the running server and a provider that signs real ID tokens.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { SESSION_COOKIES } from "@/lib/access/staff/access";
import { loadConfig, type SettingsError } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, seedBasics } from "../support/api";
import { OpenIdIssuer } from "../support/openid-issuer";
import { type RunningServer, startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { type SignedIn, signInAs } from "../support/staff";

let basics: Basics;
let issuer: OpenIdIssuer;
let server: RunningServer;
let viewer: SignedIn;

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  viewer = await signInAs("viewer", [basics.enabled]);
  issuer = await OpenIdIssuer.start();
  server = await startServer("production", {
    LOG_LEVEL: "info",
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: issuer.clientId,
    OIDC_CLIENT_SECRET: issuer.clientSecret,
    OIDC_NAME: "Northside ID",
  });
});
afterAll(() => Promise.all([server?.stop(), issuer?.stop()]));

beforeEach(() => {
  issuer.identity = { sub: "42", email: viewer.email, email_verified: true };
  issuer.claims = {};
  issuer.forges = false;
});

const home = () => `/practices/${basics.enabled}/patients`;

/** Visits the provider, which signs everyone in without asking, and returns the address that it redirects to. */
async function comeBack(one: Browser): Promise<URL> {
  const authorizeUrl = await one.startOpenId(home());
  const { headers } = await fetch(authorizeUrl, { redirect: "manual" });
  return new URL(headers.get("location") as string);
}

/** Follows redirects to the end. */
async function follow(one: Browser, start: URL): Promise<URL> {
  let at = start;
  for (let turn = 0; turn < 5; turn++) {
    const { headers } = await one.send("GET", at.href);
    if (!headers.location) return at;
    at = new URL(headers.location, at);
  }
  throw new Error(`too many redirects at ${at}`);
}

async function expectRejectedSignIn(one: Browser, start: URL, error: string): Promise<void> {
  const end = await follow(one, start);
  expect([end.pathname, end.searchParams.get("error")]).toEqual(["/sign-in", error]);
  expect(one.cookie).not.toContain(SESSION_COOKIES.plain);
  expect((await one.send("GET", `/api/staff${home()}`)).status).toBe(401);
}

async function expectUnknown(): Promise<void> {
  const one = new Browser(server.url);
  await expectRejectedSignIn(one, await comeBack(one), "unknown");
}

test("the sign-in page offers the provider by name", async () => {
  const { text } = await new Browser(server.url).send("GET", "/sign-in");
  expect(text).toContain("Northside ID");
});

test("the browser is sent to the provider to get a code, with PKCE, state and nonce, and a redirect to this server", async () => {
  const authorizeUrl = await new Browser(server.url).startOpenId();
  expect(`${authorizeUrl.origin}${authorizeUrl.pathname}`).toBe(`${issuer.url}/authorize`);
  expect(Object.fromEntries(authorizeUrl.searchParams)).toMatchObject({
    client_id: issuer.clientId,
    response_type: "code",
    redirect_uri: `${server.url}/api/auth/callback/oidc`,
    scope: "openid email profile",
    code_challenge_method: "S256",
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{20,}$/),
    nonce: expect.stringMatching(/^[\w-]{20,}$/),
  });
});

test("a verified address, in any case, opens the account's session with its role and practices", async () => {
  issuer.identity.email = viewer.email.toUpperCase();
  const one = new Browser(server.url);
  expect((await follow(one, await comeBack(one))).pathname).toBe(home());
  expect(one.cookie).toContain(SESSION_COOKIES.plain);
  expect((await one.send("GET", `/api/staff${home()}`)).status).toBe(200);
  expect((await one.send("GET", `/api/staff/practices/${basics.foreign}/patients`)).status).toBe(404);
  expect((await one.send("GET", `/api/staff/practices/${basics.enabled}/audit`)).status).toBe(403);
  const sessions = await db.rows(sql`SELECT ended_date FROM staff_session WHERE user_id = ${viewer.userId}`);
  expect(sessions).toHaveLength(2);
  await one.signOut();
  expect((await one.send("GET", home())).status).toBe(307);
});

describe("rejected as unknown:", () => {
  test("an address without an account", async () => {
    issuer.identity.email = "somebody@example.org";
    await expectUnknown();
  });

  test("an address that the provider has not verified or does not mention", async () => {
    issuer.identity.email_verified = false;
    await expectUnknown();
    issuer.claims = { email_verified: undefined };
    await expectUnknown();
  });

  test("a provider's user without an address", async () => {
    issuer.claims = { email: undefined };
    await expectUnknown();
  });

  test("a disabled account", async () => {
    const gone = await signInAs("staff", [basics.enabled]);
    await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${gone.userId}`);
    issuer.identity.email = gone.email;
    await expectUnknown();
  });

  test("an account that belongs to no practice anymore", async () => {
    const gone = await signInAs("staff", [basics.enabled]);
    await db.run(sql`DELETE FROM staff_user_practice WHERE user_id = ${gone.userId}`);
    issuer.identity.email = gone.email;
    await expectUnknown();
  });
});

describe("an untrusted response opens no session:", () => {
  const now = () => Math.floor(Date.now() / 1000);

  test.each([
    ["another nonce", () => ({ nonce: "made up" })],
    ["no nonce", () => ({ nonce: undefined })],
    ["another issuer", () => ({ iss: "https://evil.example" })],
    ["another audience", () => ({ aud: "somebody-else" })],
    ["an expiry in the past", () => ({ iat: now() - 7_200, exp: now() - 3_600 })],
  ])("an ID token with %s", async (_what, claims) => {
    issuer.claims = claims();
    const one = new Browser(server.url);
    await expectRejectedSignIn(one, await comeBack(one), "OAuthCallback");
  });

  test("an ID token signed with another key", async () => {
    issuer.forges = true;
    const one = new Browser(server.url);
    await expectRejectedSignIn(one, await comeBack(one), "OAuthCallback");
  });

  test("another browser's state", async () => {
    const [mine, theirs] = [new Browser(server.url), new Browser(server.url)];
    const back = await comeBack(mine);
    back.searchParams.set("state", "made-up");
    await expectRejectedSignIn(mine, back, "OAuthCallback");
    // Another user's code, sent to a browser with and without a sign-in in progress.
    await expectRejectedSignIn(mine, await comeBack(theirs), "OAuthCallback");
    await expectRejectedSignIn(new Browser(server.url), await comeBack(theirs), "OAuthCallback");
  });

  test("a used code, or no code", async () => {
    const one = new Browser(server.url);
    const back = await comeBack(one);
    const jar = one.cookie;
    await follow(one, back);
    const copy = new Browser(server.url);
    for (const pair of jar.split("; ")) copy.setCookie(...(pair.split(/=(.*)/, 2) as [string, string]));
    await expectRejectedSignIn(copy, back, "OAuthCallback");
    const other = new Browser(server.url);
    const rejected = await comeBack(other);
    rejected.searchParams.delete("code");
    rejected.searchParams.set("error", "access_denied");
    expect((await follow(other, rejected)).pathname).toBe("/sign-in");
    expect(other.cookie).not.toContain(SESSION_COOKIES.plain);
  });
});

test("the log reports a failed sign-in, but neither the user nor what was sent", async () => {
  issuer.claims = { nonce: "made up" };
  const [one, before] = [new Browser(server.url), server.output().length];
  await expectRejectedSignIn(one, await comeBack(one), "OAuthCallback");
  const output = server.output().slice(before);
  expect(output).toContain("OAUTH_CALLBACK_ERROR");
  for (const secret of [viewer.email, "eyJ", issuer.clientSecret]) expect(output).not.toContain(secret);
  for (const line of output.trim().split("\n")) expect(line).toMatch(/^\{.*\}$/);
});

describe("invalid settings are reported at startup", () => {
  const needed = { DATABASE_URL: "postgresql://user@localhost/crosswalk", SECRET_KEY: "k".repeat(32) };
  const whole = { OIDC_ISSUER: "https://id.example.org", OIDC_CLIENT_ID: "crosswalk", OIDC_CLIENT_SECRET: "secret" };
  const problemsOf = (env: Record<string, string>) => {
    try {
      loadConfig({ ...needed, ...env });
      return [];
    } catch (error) {
      return [...(error as SettingsError).problems];
    }
  };

  test("if some are missing", () => {
    expect(problemsOf(whole)).toEqual([]);
    expect(problemsOf({ OIDC_NAME: "Northside ID" })).toEqual([]);
    expect(problemsOf({ ...whole, OIDC_CLIENT_SECRET: "" })).toEqual([
      "OIDC_CLIENT_SECRET is required with OIDC_ISSUER",
    ]);
    expect(problemsOf({ OIDC_CLIENT_ID: "crosswalk" })).toEqual([
      "OIDC_ISSUER is required with OIDC_CLIENT_ID",
      "OIDC_CLIENT_SECRET is required with OIDC_CLIENT_ID",
    ]);
  });

  test.each([
    ["http://id.example.org", "OIDC_ISSUER must be https://"],
    ["http://localhost.example.org", "OIDC_ISSUER must be https://"],
    ["id.example.org", "OIDC_ISSUER must be a URL"],
    ["https://id.example.org/.well-known/openid-configuration", "OIDC_ISSUER must be the issuer itself"],
    ["https://id.example.org/?tenant=1", "OIDC_ISSUER must be the issuer itself"],
  ])("if the issuer is %s", (OIDC_ISSUER, problem) => {
    expect(problemsOf({ ...whole, OIDC_ISSUER })).toEqual([expect.stringContaining(problem)]);
  });

  test("but not if the provider runs on this machine or has a path", () => {
    for (const OIDC_ISSUER of [
      "http://localhost:8080/realms/a",
      "http://127.0.0.1:8080",
      "https://id.example.org/a/v2.0",
    ])
      expect(problemsOf({ ...whole, OIDC_ISSUER })).toEqual([]);
  });

  test("and prevent the server from starting", async () => {
    const wrong = { ...whole, OIDC_ISSUER: "http://id.example.org" };
    await expect(startServer("production", wrong)).rejects.toThrow("OIDC_ISSUER must be https://");
  });
});
