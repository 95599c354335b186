// Signing in, sessions and signing out, against the running server, because next-auth runs inside Next.
import { createHash } from "node:crypto";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SESSION_COOKIES } from "@/lib/access/staff/access";
import { createStaffUser, endSession, setStaffPassword } from "@/lib/access/staff/commands";
import { CHOOSE_ORGANIZATION } from "@/lib/access/staff/roles";
import { MAX_PASSWORD_LENGTH } from "@/lib/access/staff/schema";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { owner } from "@/tests/support/owner";
import { type Basics, seedBasics } from "../support/api";
import { type RunningServer, startServer } from "../support/servers";
import { Browser } from "../support/sign-in";
import { CHEAP_HASH, changeSession, cookieOf, PASSWORD, type SignedIn, signInAs, staffCallAs } from "../support/staff";

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
    startServer("production", { WRONG_PASSWORD_LIMIT: "3", PUBLIC_URL: "" }),
    startServer("production", { WRONG_PASSWORD_LIMIT: "3", PUBLIC_URL: "https://crosswalk.example.org" }),
  ]);
});
afterAll(() => Promise.all([plain, secure].map((server) => server?.stop())));

/** Creates a user whose password is cheap to check, for tests that check many. */
async function createUserWithCheapHash(): Promise<SignedIn> {
  const created = await signInAs("staff", [basics.enabled]);
  await db.run(sql`UPDATE staff_user SET password_hash = ${CHEAP_HASH} WHERE id = ${created.userId}`);
  return created;
}

const browser = () => new Browser(plain.url);
const secureBrowser = () => new Browser(secure.url, { host: "crosswalk.example.org" });
const home = () => `/practices/${basics.enabled}/patients`;
const patients = () => `practices/${basics.enabled}/patients`;

async function signedIn(): Promise<Browser> {
  const one = browser();
  expect((await one.signIn(user.email, PASSWORD)).status).toBe(200);
  return one;
}

test("the server ignores a protocol upgrade, even after it has served pages", async () => {
  expect((await browser().send("GET", "/sign-in")).status).toBe(200);
  const { port } = new URL(plain.url);
  for (const [path, status] of [
    ["/api/2.0/practices", 401],
    ["/no-such-page", 404],
    ["/sign-in", 200],
  ] as const) {
    const socket = net.connect(Number(port), "127.0.0.1");
    const head = `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade, close\r\nupgrade: h2c\r\n\r\n`;
    socket.setEncoding("latin1").write(head);
    let text = "";
    for await (const chunk of socket) text += chunk;
    expect([path, text.slice(0, 12)]).toEqual([path, `HTTP/1.1 ${status}`]);
  }
});

describe("signing in", () => {
  test("opens the pages with the right password and the address in any case", async () => {
    const one = browser();
    const before = await one.send("GET", home());
    expect(before.status).toBe(307);
    expect(before.headers.location).toBe(`/sign-in?to=${encodeURIComponent(home())}`);
    const reply = await one.signIn(user.email.toUpperCase(), PASSWORD);
    expect([reply.status, reply.error]).toEqual([200, null]);
    expect((await one.send("GET", home())).status).toBe(200);
  });

  test("compares every character of the longest password, and rejects longer ones", async () => {
    const longest = "é".repeat(MAX_PASSWORD_LENGTH);
    const email = "longest.password@example.org";
    await createStaffUser({ email, name: "Maria", role: "staff", practices: [basics.enabled], password: longest });
    for (const wrong of [`${longest}x`, longest.slice(0, -1), longest.repeat(40)]) {
      const { status, error } = await browser().signIn(email, wrong);
      expect([wrong.length, status, error]).toEqual([wrong.length, 401, "CredentialsSignin"]);
      await db.run(sql`UPDATE failed_sign_in SET expire = 0`);
    }
    expect((await browser().signIn(email, longest)).error).toBeNull();
  });

  test("responds identically to a wrong password, an unknown address and a disabled user", async () => {
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

  test("is rejected without the CSRF token of this browser", async () => {
    const one = browser();
    const form = { email: user.email, password: PASSWORD, csrfToken: "made up", json: "true", callbackUrl: "/" };
    const reply = await one.send("POST", "/api/auth/callback/credentials", form);
    expect(reply.setCookies.join()).not.toContain(SESSION_COOKIES.plain);
    expect((await one.send("GET", home())).status).toBe(307);
  });

  test("is throttled after wrong passwords, for that account only, even with the right password", async () => {
    const other = await createUserWithCheapHash();
    for (let turn = 0; turn < 3; turn++) expect((await browser().signIn(other.email, "wrong")).error).toBeTruthy();
    expect((await browser().signIn(other.email, PASSWORD)).error).toBe("throttled");
    expect((await browser().signIn(user.email, PASSWORD)).error).toBeNull();
    // Another process continues the count.
    expect((await secureBrowser().signIn(other.email, PASSWORD)).error).toBe("throttled");
    const kept = await db.rows<{ key: string }>(sql`SELECT key FROM failed_sign_in`);
    expect(kept.some(({ key }) => key.includes("@"))).toBe(false);
    await db.run(sql`UPDATE failed_sign_in SET expire = 0`);
    expect((await browser().signIn(other.email, PASSWORD)).error).toBeNull();
  });

  test("gets a 429 with Retry-After when throttled, but a known browser can still sign in", async () => {
    const other = await createUserWithCheapHash();
    const known = browser();
    const { setCookies } = await known.signIn(other.email, PASSWORD);
    const device = setCookies.find((line) => line.startsWith("crosswalk-device=")) ?? "";
    expect(device).toMatch(/; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax$/);
    expect(device).not.toContain(other.email);
    await known.signOut();
    for (let turn = 0; turn < 3; turn++) await browser().signIn(other.email, "wrong");
    const { status, headers, text, error } = await browser().signIn(other.email, PASSWORD);
    expect([status, error]).toEqual([429, "throttled"]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(800);
    expect(JSON.parse(text)).toMatchObject({ code: "rate_limited", detail: expect.stringMatching(/Too many wrong/) });
    expect((await known.signIn(other.email, PASSWORD)).error).toBeNull();
  });

  test("checks each of fifty concurrent requests or asks it to retry", async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => browser().signIn(`crowd${index}@example.org`, "wrong")),
    );
    const results = new Set(replies.map(({ status, error }) => `${status} ${error}`));
    expect([...results].sort()).toEqual(["401 CredentialsSignin", "429 busy"]);
    for (const { headers } of replies.filter(({ status }) => status === 429))
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  });

  test("ignores the Host header of the request", async () => {
    const { email } = await createUserWithCheapHash();
    const evil = { host: "evil.example" };
    for (const headers of [evil, { ...evil, "x-forwarded-host": "evil.example" } as Record<string, string>]) {
      const one = new Browser(plain.url, headers);
      const replies = [
        await one.signIn(email, "wrong"),
        await one.signIn(email, PASSWORD),
        await one.send("GET", "/api/auth/providers"),
        await one.send("GET", "/api/auth/signin"),
        await new Browser(plain.url, headers).send("GET", home()),
      ];
      for (const { headers: sent, text } of replies) {
        expect(String(sent.location)).not.toContain("evil.example");
        expect(text).not.toContain("evil.example");
      }
    }
  });

  test("reveals nothing about a database that does not respond", async () => {
    await owner.run(sql`ALTER TABLE staff_user RENAME TO staff_user_away`);
    const { status, error, text } = await browser().signIn(user.email, PASSWORD);
    await owner.run(sql`ALTER TABLE staff_user_away RENAME TO staff_user`);
    expect([status, error]).toEqual([401, "unavailable"]);
    expect(text).not.toMatch(/staff_user|prisma|relation/i);
  });

  test("redirects only to our own pages", async () => {
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

  test("is limited to HTTPS and this host, and hidden from scripts", async () => {
    const one = secureBrowser();
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

  test("needs no HTTPS on localhost, but meets all other requirements", async () => {
    const { setCookies } = await browser().signIn(user.email, PASSWORD);
    expect(flagsOf(setCookies, SESSION_COOKIES.plain)).toEqual(["expires", "httponly", "path=/", "samesite=lax"]);
  });

  test("opens no session if it was changed or created with another key", async () => {
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

  test("reveals nothing to scripts and other sites", async () => {
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

  test("when the user signs out, with all copies of its cookie", async () => {
    const one = await signedIn();
    const copy = one.cookie;
    expect((await one.signOut()).status).toBe(200);
    expect(one.cookie).not.toContain(SESSION_COOKIES.plain);
    expect((await browser().send("GET", home(), undefined, { cookie: copy })).status).toBe(307);
  });

  test("after inactivity", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await changeSession(one.sessionId, { seen_date: ago(29 * 60_000) });
    await expectOpen(one, true);
    await changeSession(one.sessionId, { seen_date: ago(31 * 60_000) });
    await expectOpen(one, false);
  });

  test("after inactivity, even while a page polls", async () => {
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

  test("at its maximum age, however active it is", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await changeSession(one.sessionId, { created_date: ago(11.9 * HOURS) });
    await expectOpen(one, true);
    await changeSession(one.sessionId, { created_date: ago(12.1 * HOURS) });
    await expectOpen(one, false);
  });

  test("immediately when its user is disabled", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await expectOpen(one, true);
    await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${one.userId}`);
    await expectOpen(one, false);
  });

  test("when it is revoked, even if its cookie is still valid", async () => {
    const one = await signInAs("staff", [basics.enabled]);
    await endSession(db, one.sessionId, "signed_out");
    await expectOpen(one, false);
    await expectOpen({ ...one, cookie: await cookieOf("00000000-0000-4000-8000-000000000000") }, false);
  });
});

test("an address in two organizations opens the account that the password matches, and asks if it matches both", async () => {
  const one = await signInAs("staff", [basics.enabled]);
  const account = { email: one.email, name: "Robin elsewhere", role: "viewer" as const, practices: [basics.foreign] };
  const other = await createStaffUser({ ...account, password: "quite another password" });
  const theirs = browser();
  expect((await theirs.signIn(one.email, "quite another password")).error).toBeNull();
  expect((await theirs.send("GET", `/practices/${basics.foreign}/patients`)).status).toBe(200);
  expect((await theirs.send("GET", home())).status).toBe(404);
  await setStaffPassword(other, PASSWORD);
  const asked = (await browser().signIn(one.email, PASSWORD)).error ?? "";
  expect(
    JSON.parse(asked.replace(CHOOSE_ORGANIZATION, ""))
      .map(({ name }: { name: string }) => name)
      .sort(),
  ).toEqual(["Harbor Care", "Northside Health"]);
  const audited = await db.rows(sql`
    SELECT practice_id, detail->>'cause' AS cause FROM audit_log
    WHERE operation = 'sign_in.failed' AND (detail->'about'->>'id')::bigint = ANY(${[one.userId, other]}::bigint[])
    ORDER BY practice_id`);
  const cause = "organization_not_chosen";
  expect(audited).toEqual([basics.enabled, basics.foreign].map((practice_id) => ({ practice_id, cause })));
  const chosen = browser();
  expect((await chosen.signIn(one.email, PASSWORD, { organization: String(basics.organization) })).error).toBeNull();
  expect((await chosen.send("GET", home())).status).toBe(200);
  expect((await chosen.send("GET", `/practices/${basics.foreign}/patients`)).status).toBe(404);
  // A wrong password is never asked about.
  expect((await browser().signIn(one.email, "wrong")).error).toBe("CredentialsSignin");
});

test("attempts, throttling, signing in and signing out are audited with their address", async () => {
  const one = await signInAs("staff", [basics.enabled]);
  const guest = browser();
  for (let turn = 0; turn < 3; turn++) await guest.signIn(one.email, "wrong");
  expect((await guest.signIn(one.email, PASSWORD)).error).toBe("throttled");
  await db.run(sql`UPDATE failed_sign_in SET expire = 0`);
  await guest.signIn(one.email, PASSWORD);
  await guest.signOut();
  await browser().signIn(`nobody-${one.userId}@example.org`, PASSWORD);
  const entries = await db.rows<{ operation: string; address: string; practice_id: number }>(sql`
    SELECT operation, address, practice_id FROM audit_log WHERE kind = 'security'
      AND (actor_id = ${one.userId} OR (detail->'about'->>'id')::bigint = ${one.userId} OR practice_id = 0)
    ORDER BY occurred_date, seq`);
  const mine = entries.filter(({ practice_id }) => practice_id === basics.enabled);
  expect(mine.map(({ operation }) => operation)).toEqual([
    "sign_in.failed",
    "sign_in.throttled",
    "sign_in.succeeded",
    "session.signed_out",
  ]);
  expect(mine.every(({ address }) => /127\.0\.0\.1|::1/.test(address))).toBe(true);
  expect(entries.some(({ practice_id, operation }) => practice_id === 0 && operation === "sign_in.failed")).toBe(true);
});

test("a changed role applies immediately, not only after the next sign-in", async () => {
  const one = await signInAs("admin", [basics.enabled]);
  await db.run(sql`DELETE FROM staff_user_practice WHERE user_id = ${one.userId}`);
  expect((await staffCallAs(one, "GET", patients())).status).toBe(404);
});

test("reading the audit page is audited, with its search", async () => {
  const one = await signInAs("admin", [basics.enabled]);
  const path = `/practices/${basics.enabled}/settings/audit`;
  const look = (query: string) => browser().send("GET", `${path}${query}`, undefined, { cookie: one.cookie });
  expect((await look("?kind=change&patient=")).status).toBe(200);
  await look("?kind=nonsense");
  const entries = await db.rows(sql`
    SELECT practice_id, operation, kind, path FROM audit_log WHERE actor_id = ${one.userId} ORDER BY id`);
  const shown = { practice_id: basics.enabled, operation: "staff.audit.list", kind: "read" };
  expect(entries).toEqual([{ ...shown, path: `${path}?kind=change` }]);
});

test("pages have a content security policy that allows only their own scripts and forbids framing", async () => {
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

test("pages contain their styles, which the policy allows, and are compressed with Brotli", async () => {
  const one = await signedIn();
  const { headers, text } = await one.send("GET", home());
  const styles = [...text.matchAll(/<style\b[^>]*>(.*?)<\/style>/gs)].map(([, style = ""]) => style);
  expect(styles).not.toEqual([]);
  for (const style of styles)
    expect(headers["content-security-policy"]).toContain(
      `'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    );
  expect(text).not.toContain('rel="stylesheet"');
  const compressed = await one.send("GET", home(), undefined, { "accept-encoding": "gzip, deflate, br" });
  expect([headers["content-encoding"], compressed.headers["content-encoding"]]).toEqual([undefined, "br"]);
});
