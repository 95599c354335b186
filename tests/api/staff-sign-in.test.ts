// Signing in, staying and going, against the server as it runs: next-auth lives inside Next.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/db/sql";
import { SESSION_COOKIES } from "@/lib/staff/access";
import { endSession } from "@/lib/staff/commands";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, seedBasics } from "../support/api";
import { type RunningServer, startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { changeSession, cookieOf, PASSWORD, type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let plain: RunningServer;
let secure: RunningServer;
let user: SignedIn;

const HOURS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

beforeAll(async () => {
  await build();
  basics = await seedBasics();
  user = await signInAs("staff", [basics.enabled]);
  [plain, secure] = await Promise.all([
    startServer("production", { WRONG_PASSWORD_LIMIT: "3" }),
    startServer("production", { PUBLIC_URL: "https://crosswalk.example.org" }),
  ]);
}, 240_000);
afterAll(() => Promise.all([plain, secure].map((server) => server?.stop())));

const browser = () => new Browser(plain.url);
const home = () => `/practices/${basics.enabled}/patients`;
const patients = () => `practices/${basics.enabled}/patients`;

async function signedIn(): Promise<Browser> {
  const one = browser();
  expect((await one.signIn(user.email, PASSWORD)).status).toBe(200);
  return one;
}

describe("signing in", () => {
  test("opens the pages with the right password, in any case of the address", async () => {
    const one = browser();
    const before = await one.send("GET", home());
    expect(before.status).toBe(307);
    expect(before.headers.location).toBe(`/sign-in?to=${encodeURIComponent(home())}`);
    const reply = await one.signIn(user.email.toUpperCase(), PASSWORD);
    expect([reply.status, reply.error]).toEqual([200, null]);
    expect((await one.send("GET", home())).status).toBe(200);
  });

  test("tells the same of a wrong password, an unknown address and a disabled user", async () => {
    const gone = await signInAs("staff", [basics.enabled]);
    await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${gone.userId}`);
    const replies = [
      await browser().signIn(user.email, `${PASSWORD}x`),
      await browser().signIn("nobody@example.org", PASSWORD),
      await browser().signIn(gone.email, PASSWORD),
    ];
    for (const { status, error, setCookies } of replies) {
      expect([status, error]).toEqual([401, "CredentialsSignin"]);
      expect(setCookies.join()).not.toContain(SESSION_COOKIES.plain);
    }
  });

  test("is refused without the CSRF token of this browser", async () => {
    const one = browser();
    const form = { email: user.email, password: PASSWORD, csrfToken: "made up", json: "true", callbackUrl: "/" };
    const reply = await one.send("POST", "/api/auth/callback/credentials", form);
    expect(reply.setCookies.join()).not.toContain(SESSION_COOKIES.plain);
    expect((await one.send("GET", home())).status).toBe(307);
  });

  test("is throttled after wrong passwords, for that account alone, the right one included", async () => {
    const other = await signInAs("staff", [basics.enabled]);
    for (let turn = 0; turn < 3; turn++) expect((await browser().signIn(other.email, "wrong")).error).toBeTruthy();
    expect((await browser().signIn(other.email, PASSWORD)).error).toBe("throttled");
    expect((await browser().signIn(user.email, PASSWORD)).error).toBeNull();
    // Nor does another process, or one that has just started, begin to count anew.
    const next = await startServer("production", { WRONG_PASSWORD_LIMIT: "3" });
    expect((await new Browser(next.url).signIn(other.email, PASSWORD)).error).toBe("throttled");
    await next.stop();
    const kept = await db.rows<{ key: string }>(sql`SELECT key FROM wrong_password`);
    expect(kept.some(({ key }) => key.includes("@"))).toBe(false);
    await db.run(sql`UPDATE wrong_password SET expire = 0`);
    expect((await browser().signIn(other.email, PASSWORD)).error).toBeNull();
  });

  test("tells nothing of a database that does not answer", async () => {
    await db.run(sql`ALTER TABLE staff_user RENAME TO staff_user_away`);
    const { status, error, text } = await browser().signIn(user.email, PASSWORD);
    await db.run(sql`ALTER TABLE staff_user_away RENAME TO staff_user`);
    expect([status, error]).toEqual([401, "unavailable"]);
    expect(text).not.toMatch(/staff_user|prisma|relation/i);
  });

  test("leads nowhere but to pages of ours", async () => {
    const one = await signedIn();
    for (const to of ["https://evil.example", "//evil.example", "/\\evil.example"]) {
      const reply = await one.send("GET", `/sign-in?to=${encodeURIComponent(to)}`);
      expect([reply.status, reply.headers.location]).toEqual([307, "/"]);
    }
  });
});

describe("the session's cookie", () => {
  const flagsOf = (lines: string[], name: string) =>
    lines
      .find((line) => line.startsWith(`${name}=`))
      ?.split("; ")
      .slice(1)
      .map((flag) => flag.toLowerCase().replace(/^expires=.*/, "expires"))
      .sort();

  test("is for HTTPS and this host alone, and out of the reach of scripts", async () => {
    const one = new Browser(secure.url, { host: "crosswalk.example.org" });
    const { setCookies } = await one.signIn(user.email, PASSWORD);
    expect(flagsOf(setCookies, SESSION_COOKIES.secure)).toEqual([
      "expires",
      "httponly",
      "path=/",
      "samesite=lax",
      "secure",
    ]);
    expect((await one.send("GET", home())).status).toBe(200);
  });

  test("does without HTTPS on one's own machine, but not without the rest", async () => {
    const { setCookies } = await browser().signIn(user.email, PASSWORD);
    expect(flagsOf(setCookies, SESSION_COOKIES.plain)).toEqual(["expires", "httponly", "path=/", "samesite=lax"]);
  });

  test("opens nothing once it was changed, or made with another key", async () => {
    const one = await signedIn();
    const [, sealed = ""] = one.cookie.match(new RegExp(`${SESSION_COOKIES.plain}=([^;]+)`)) ?? [];
    const middle = Math.floor(sealed.length / 2);
    const changed = `${sealed.slice(0, middle)}${sealed[middle] === "A" ? "B" : "A"}${sealed.slice(middle + 1)}`;
    for (const value of [changed, sealed.slice(0, -4), "x", user.sessionId]) {
      one.setCookie(SESSION_COOKIES.plain, value);
      expect((await one.send("GET", home())).status).toBe(307);
      expect((await one.send("GET", `/api/staff/${patients()}`)).status).toBe(401);
    }
  });

  test("tells scripts and other sites nothing", async () => {
    const one = await signedIn();
    const { text } = await one.send("GET", "/api/auth/session");
    expect(Object.keys(JSON.parse(text))).toEqual(["expires"]);
  });
});

describe("a session ends", () => {
  async function expectOpen(one: SignedIn, open: boolean) {
    const { status } = await staffCallAs(one, "GET", patients());
    expect(status).toBe(open ? 200 : 401);
    const page = await browser().send("GET", home(), undefined, { cookie: one.cookie });
    expect(page.status).toBe(open ? 200 : 307);
  }

  test("by signing out, and with it every copy of its cookie", async () => {
    const one = await signedIn();
    const copy = one.cookie;
    expect((await one.signOut()).status).toBe(200);
    expect(one.cookie).not.toContain(SESSION_COOKIES.plain);
    expect((await browser().send("GET", home(), undefined, { cookie: copy })).status).toBe(307);
  });

  test("by rest", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await changeSession(one.sessionId, { seen_date: ago(29 * 60_000) });
    await expectOpen(one, true);
    await changeSession(one.sessionId, { seen_date: ago(31 * 60_000) });
    await expectOpen(one, false);
  });

  test("by rest, though a page goes on asking by itself", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    const seen = async () =>
      (
        await db.first<{ seen_date: string }>(
          sql`SELECT seen_date FROM staff_session WHERE id = ${one.sessionId}::uuid`,
        )
      )?.seen_date as string;
    await changeSession(one.sessionId, { seen_date: ago(10 * 60_000) });
    const before = await seen();
    const headers = { "x-crosswalk-background": "1" };
    expect((await staffCallAs(one, "GET", patients(), { headers })).status).toBe(200);
    expect(await seen()).toBe(before);
    await staffCallAs(one, "GET", patients());
    expect(Date.parse(await seen())).toBeGreaterThan(Date.now() - 60_000);
  });

  test("by age, however busy it was", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await changeSession(one.sessionId, { created_date: ago(11.9 * HOURS) });
    await expectOpen(one, true);
    await changeSession(one.sessionId, { created_date: ago(12.1 * HOURS) });
    await expectOpen(one, false);
  });

  test("with its user, at once", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await expectOpen(one, true);
    await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${one.userId}`);
    await expectOpen(one, false);
  });

  test("when it is ended, whatever its cookie says", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await endSession(one.sessionId);
    await expectOpen(one, false);
    await expectOpen({ ...one, cookie: await cookieOf("00000000-0000-4000-8000-000000000000") }, false);
  });
});

test("what a role may is what it may now, not what it might at sign-in", async () => {
  const one = await signInAs("admin", [basics.enabled]);
  await db.run(sql`DELETE FROM staff_user_practice WHERE user_id = ${one.userId}`);
  expect((await staffCallAs(one, "GET", patients())).status).toBe(404);
});

test("a look at the audit's page is audited, with what was looked for", async () => {
  const one = await signInAs("admin", [basics.enabled]);
  const path = `/practices/${basics.enabled}/settings/audit`;
  const look = (query: string) => browser().send("GET", `${path}${query}`, undefined, { cookie: one.cookie });
  expect((await look("?kind=change&patient=")).status).toBe(200);
  await look("?kind=nonsense");
  const entries = await db.rows(sql`
    SELECT practice_id, operation, kind, path FROM audit_entry WHERE actor_id = ${one.userId} ORDER BY seq`);
  const shown = { practice_id: basics.enabled, operation: "staff.audit.list", kind: "read" };
  expect(entries).toEqual([{ ...shown, path: `${path}?kind=change` }]);
});

test("pages carry a policy that lets only scripts of this page run, and may be framed by nobody", async () => {
  const one = await signedIn();
  const [first, second] = [await one.send("GET", home()), await one.send("GET", home())];
  const policy = String(first.headers["content-security-policy"]);
  expect(policy).toMatch(/script-src 'self' 'nonce-[\w+/=]+' 'strict-dynamic';/);
  expect(policy).not.toContain("unsafe-eval");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toBe(second.headers["content-security-policy"]);
  expect(first.headers).toMatchObject({ "x-content-type-options": "nosniff", "x-frame-options": "DENY" });
  expect(String(first.headers["cache-control"])).toContain("no-store");
  expect(first.headers["x-powered-by"]).toBeUndefined();
});
