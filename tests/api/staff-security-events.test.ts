// Events of accounts, sessions, settings and exports are stored where they belong (ADR 0110).
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { auditFailedSignIn, auditSignIn, endExpiredSessions, signOut } from "@/lib/access/staff/audit-commands";
import { createStaffUser, startSession } from "@/lib/access/staff/commands";
import { signInOptions } from "@/lib/access/staff/sign-in";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics } from "@/tests/support/api";
import { owner } from "@/tests/support/owner";
import { INSTALLATION, type StoredEvent, securityEventsOf } from "@/tests/support/security-events";
import { changeSession, cookieOf, type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

let basics: Basics;
let admin: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled, basics.disabled]);
});

const here = () => `practices/${basics.enabled}`;
const eventsOf = (work: () => Promise<unknown>, practice = basics.enabled) => securityEventsOf(practice, work);
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const origin = (address: string) => ({
  actor: { type: "anonymous" as const, id: null, name: "" },
  source: "staff" as const,
  reason: null,
  requestId: null,
  operation: "staff.sign_in",
  path: "/api/auth",
  address,
});
const ignore = () => {};
/** Signs in like the sign-in form. */
async function signIn(email: string, password: string): Promise<void> {
  const provider = signInOptions(new Request("http://localhost:3000/api/auth"), ignore, ignore).providers[0];
  const options = provider?.options as { authorize: (given: object) => Promise<unknown> } | undefined;
  await options?.authorize({ email, password });
}
const sessionOf = (id: string) =>
  db.first<{ ended_date: string | null; end_reason: string | null; address: string | null }>(
    sql`SELECT ended_date, end_reason, address FROM staff_session WHERE id = ${id}::uuid`,
  );

describe("a session", () => {
  test("is audited in the user's practices when it starts and when the user signs out, and its history stays", async () => {
    const who = await signInAs("staff", [basics.enabled]);
    const events = await eventsOf(async () => {
      await auditSignIn({ userId: who.userId, method: "password" }, origin("192.0.2.1"));
      await signOut(who.sessionId, origin("192.0.2.1"));
      await signOut(who.sessionId, origin("192.0.2.1"));
    });
    const by = { actor_type: "staff", actor_id: who.userId, address: "192.0.2.1" };
    expect(events).toMatchObject([
      { ...by, operation: "sign_in.succeeded", detail: { facts: { method: "password" } } },
      { ...by, operation: "session.signed_out" },
    ]);
    expect(await sessionOf(who.sessionId)).toMatchObject({ end_reason: "signed_out", address: "127.0.0.1" });
    const again = await eventsOf(() => staffCallAs(who, "GET", `${here()}/settings`));
    const about = { type: "staff", id: who.userId };
    expect(again).toMatchObject([{ operation: "session.rejected", detail: { cause: "signed_out", about } }]);
  });

  test.each([
    ["idle", { seen_date: ago(3_600_000 * 24) }],
    ["age", { created_date: ago(3_600_000 * 24 * 30) }],
  ])(
    "that expired (%s) ends once, when it is used again; polling by its page is not an event",
    async (reason, change) => {
      const who = await signInAs("staff", [basics.enabled]);
      await changeSession(who.sessionId, change);
      const events = await eventsOf(async () => {
        for (let turn = 0; turn < 3; turn++)
          expect((await staffCallAs(who, "GET", `${here()}/settings`)).status).toBe(401);
      });
      expect(events).toMatchObject([
        { operation: "session.expired", detail: { cause: reason, about: { id: who.userId } } },
      ]);
      expect(await sessionOf(who.sessionId)).toMatchObject({ end_reason: reason });
    },
  );

  test("is ended by housekeeping if it expired unused, but not while it is in use", async () => {
    const [gone, open] = [await signInAs("staff", [basics.enabled]), await signInAs("staff", [basics.enabled])];
    await changeSession(gone.sessionId, { seen_date: ago(3_600_000 * 24) });
    const events = await eventsOf(endExpiredSessions);
    expect(events).toMatchObject([{ operation: "session.expired", detail: { about: { id: gone.userId } } }]);
    expect(await sessionOf(open.sessionId)).toMatchObject({ ended_date: null });
  });

  test("survives a process whose clock is an hour ahead", async () => {
    const who = await signInAs("staff", [basics.enabled]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    const events = await eventsOf(async () => {
      await endExpiredSessions();
      await staffCallAs(who, "GET", `${here()}/patients`);
    });
    expect(events).toEqual([]);
    vi.useRealTimers();
    expect((await staffCallAs(who, "GET", `${here()}/patients`)).status).toBe(200);
  });

  test.each([
    ["signs out", (who: SignedIn) => signOut(who.sessionId, origin("192.0.2.1"))],
    [
      "is idle",
      async ({ sessionId }: SignedIn) => {
        await changeSession(sessionId, { seen_date: ago(3_600_000 * 24) });
        await endExpiredSessions();
      },
    ],
  ])("does not end without its event when its user %s", async (_case, end) => {
    const who = await signInAs("staff", [basics.enabled]);
    await owner.run(sql`CREATE FUNCTION reject_events() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE 'no space' USING ERRCODE = '53100'; END $$`);
    await owner.run(sql`CREATE TRIGGER reject_events BEFORE INSERT ON audit_pending EXECUTE FUNCTION reject_events()`);
    await expect(end(who))
      .rejects.toThrow()
      .finally(() => owner.run(sql`DROP FUNCTION reject_events CASCADE`));
    expect(await sessionOf(who.sessionId)).toMatchObject({ ended_date: null });
    expect(await eventsOf(() => end(who))).toHaveLength(1);
  });

  test("does not start with a password that was replaced while it was checked", async () => {
    const { userId } = await signInAs("staff", [basics.enabled]);
    const user = await db.one<{ hash: string }>(sql`SELECT password_hash AS hash FROM staff_user WHERE id = ${userId}`);
    const from = { address: null, userAgent: null };
    expect(await startSession(userId, from, user.hash)).not.toBeNull();
    const replacing = owner.rows(sql`
      UPDATE staff_user SET password_hash = 'replaced' WHERE id = ${userId} RETURNING pg_sleep(3)`);
    const sleeping = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`;
    await expect.poll(() => owner.rows(sleeping)).toHaveLength(1);
    expect(await startSession(userId, from, user.hash)).toBeNull();
    await replacing;
  });

  test("stays ended when its disabled account is enabled again", async () => {
    const who = await signInAs("staff", [basics.enabled]);
    const at = `${here()}/members/${who.userId}`;
    await staffCallAs(admin, "PATCH", at, { body: { disabled: true } });
    await staffCallAs(admin, "PATCH", at, { body: { disabled: false } });
    expect((await staffCallAs(who, "GET", `${here()}/settings`)).status).toBe(401);
    expect(await sessionOf(who.sessionId)).toMatchObject({ end_reason: "disabled" });
  });

  test("belongs to no account if its cookie is made up, and creates no event in a practice", async () => {
    const cookie = await cookieOf("00000000-0000-4000-8000-000000000000");
    const events = await eventsOf(() => staffCallAs(cookie, "GET", `${here()}/settings`));
    expect(events).toEqual([]);
  });
});

describe("a rejected sign-in", () => {
  test("is an event in the account's practices; throttled ones are counted", async () => {
    const who = await signInAs("staff", [basics.enabled]);
    const rejected = { email: who.email, method: "password" as const };
    const events = await eventsOf(async () => {
      await auditFailedSignIn(rejected, origin("192.0.2.2"));
      for (let turn = 0; turn < 4; turn++)
        await auditFailedSignIn({ ...rejected, throttled: [who.userId] }, origin("192.0.2.2"));
    });
    const about = { id: who.userId };
    expect(events).toMatchObject([
      { operation: "sign_in.failed", actor_type: "anonymous", detail: { cause: "wrong_password", about } },
      { operation: "sign_in.throttled", detail: { about } },
      { operation: "sign_in.throttled", detail: { about, count: 3 } },
    ]);
  });

  test("hides from an organization that another one's account with the same address is over its limit", async () => {
    const { email, userId } = await signInAs("staff", [basics.enabled]);
    const theirs = "their own password";
    const account = { email, name: "Kim Ito", role: "viewer" as const, practices: [basics.foreign], password: theirs };
    const own = await createStaffUser(account);
    // Each is a wrong password for the first account, and resets the counts of the second.
    for (let turn = 0; turn < config().WRONG_PASSWORD_LIMIT; turn++) await signIn(email, theirs);
    let elsewhere: StoredEvent[] = [];
    const events = await eventsOf(async () => {
      elsewhere = await eventsOf(() => signIn(email, "wrong"), basics.foreign);
    });
    expect(events).toMatchObject([{ operation: "sign_in.throttled", detail: { about: { id: userId } } }]);
    expect(elsewhere).toMatchObject([{ operation: "sign_in.failed", detail: { about: { id: own } } }]);
  });

  test("is an event of the installation if the address is unknown, and does not contain it", async () => {
    const events = await securityEventsOf(INSTALLATION, () =>
      auditFailedSignIn({ email: "hunter2@example.org", method: "password" }, origin("192.0.2.3")),
    );
    expect(events).toMatchObject([{ operation: "sign_in.failed", detail: { cause: "unknown_account" } }]);
    expect(JSON.stringify(events)).not.toContain("hunter2");
  });
});

describe("an admin's change", () => {
  test("is an event only in the practices it concerns, if members changed", async () => {
    const email = `kim-${Math.random()}@example.org`;
    let elsewhere: unknown[] = [];
    const events = await eventsOf(async () => {
      elsewhere = await eventsOf(async () => {
        const body = { name: "Kim Ito", email, role: "staff", practices: [basics.enabled] };
        const created = await staffCallAs(admin, "POST", `${here()}/members`, { body });
        const at = `${here()}/members/${created.body.id}`;
        await staffCallAs(admin, "PATCH", at, { body: { role: "viewer" } });
        await staffCallAs(admin, "POST", `${at}/password`);
        await staffCallAs(admin, "PATCH", at, { body: { practices: [basics.enabled, basics.disabled] } });
        await staffCallAs(admin, "DELETE", at);
      }, basics.disabled);
    });
    expect(events).toMatchObject([
      {
        operation: "member.added",
        actor_id: admin.userId,
        detail: { about: { name: "Kim Ito" }, facts: { role: "staff" } },
      },
      { operation: "member.changed", detail: { changes: { role: { old: "staff", new: "viewer" } } } },
      { operation: "member.password_reset" },
      { operation: "member.removed" },
    ]);
    expect(elsewhere).toMatchObject([{ operation: "member.added", detail: { facts: { role: "viewer" } } }]);
    expect(JSON.stringify(events)).not.toContain("scrypt");
  });

  test("is an event that names the changes, if settings changed; saving without changes creates none", async () => {
    const put = (path: string, body: object) =>
      staffCallAs(admin, "PUT", `${here()}/settings/${path}`, { body, headers: { "x-change-reason": "agreed" } });
    const events = await eventsOf(async () => {
      for (const enabled of [false, false, true]) await put("versioning", { enabled });
      await put("clock", { mode: "enforce" });
      await put("clock", { mode: "announce" });
    });
    const versioningChange = (old: boolean) => ({ insurance_versioning_enabled: { old, new: !old } });
    expect(events.map(({ operation }) => operation)).toEqual(Array(4).fill("setting.changed"));
    expect(events.map(({ detail }) => detail.changes)).toEqual([
      versioningChange(true),
      versioningChange(false),
      { deprecation_mode: { old: "announce", new: "enforce" } },
      { deprecation_mode: { old: "enforce", new: "announce" } },
    ]);
  });
});

describe("a signed-in user", () => {
  test("who goes beyond their role or practice is audited in their own practice only", async () => {
    const viewer = await signInAs("viewer", [basics.enabled]);
    let foreign: unknown[] = [];
    const events = await eventsOf(async () => {
      foreign = await eventsOf(async () => {
        expect((await staffCallAs(viewer, "GET", `${here()}/members`)).status).toBe(403);
        expect((await staffCallAs(viewer, "GET", `practices/${basics.foreign}/patients`)).status).toBe(404);
        const headers = { origin: "https://evil.example" };
        const body = {};
        expect((await staffCallAs(viewer, "POST", `${here()}/members`, { headers, body })).status).toBe(403);
      }, basics.foreign);
    });
    const by = { operation: "access.denied", actor_type: "staff", actor_id: viewer.userId };
    expect(events).toMatchObject([
      { ...by, detail: { cause: "role", facts: { needed: "admin" } } },
      { ...by, detail: { cause: "other_practice" } },
      { ...by, detail: { cause: "foreign_origin" } },
    ]);
    expect(foreign).toEqual([]);
  });

  test("is audited for each export", async () => {
    const files = ["patients/export", "audit/export", "migrations/readiness/export"];
    const events = await eventsOf(async () => {
      for (const file of files) expect((await staffCallAs(admin, "GET", `${here()}/${file}`)).status).toBe(200);
    });
    expect(events.map(({ operation, path }) => [operation, path])).toEqual(
      files.map((file) => ["data.exported", `/api/staff/${here()}/${file}`]),
    );
  });
});
