// Practice settings and members, as staff pages call them.
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { setStaffPassword, startSession } from "@/lib/access/staff/commands";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics, seedPatient, seedPractice } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";
import { cookieOf, type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

let basics: Basics;
let admin: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled, basics.disabled]);
});

const reason = (text: string) => ({ headers: { "x-change-reason": text } });

describe("the settings of a practice", () => {
  test("a preview of the switch counts what it affects and stores nothing", async () => {
    await seedPatient(basics.disabled, basics.physicians.disabled);
    const path = `practices/${basics.disabled}/settings`;
    const effect = await staffCallAs(admin, "GET", `${path}/versioning`);
    expect(effect.body).toMatchObject({ enabled: true, patients: 1, insured: 0, active: 0, notified: 0 });
    expect((await staffCallAs(admin, "GET", path)).body.settings.insurance_versioning_enabled).toBe(false);
    expect(await historyOf("practice", basics.disabled)).toEqual([]);
  });

  test("the switch requires a reason, and the page shows who changed it and why", async () => {
    const practice = await seedPractice(basics.organization, "Fresh Practice", false);
    const own = await signInAs("admin", [practice]);
    const path = `practices/${practice}/settings/versioning`;
    const body = { enabled: true };
    const unexplained = await staffCallAs(own, "PUT", path, { body });
    expect([unexplained.status, unexplained.body]).toEqual([400, { reason: ["A reason is required."] }]);
    const turned = await staffCallAs(own, "PUT", path, { body, ...reason("we are ready") });
    expect(turned.body.settings.insurance_versioning_enabled).toBe(true);
    expect(turned.body.changes).toMatchObject([
      {
        changes: { insurance_versioning_enabled: { old: false, new: true } },
        actor: { type: "staff", id: own.userId },
        source: "staff",
        reason: "we are ready",
      },
    ]);
    const stale = await staffCallAs(own, "PUT", path, {
      body: { enabled: false },
      headers: { "x-change-reason": "again", "if-match": '"1"' },
    });
    expect(stale.status).toBe(412);
  });

  test("the deprecation clock is set and reports when it takes effect", async () => {
    const practice = await seedPractice(basics.organization, "Fresh Practice", true);
    const own = await signInAs("admin", [practice]);
    const set = (body: object) => staffCallAs(own, "PUT", `practices/${practice}/settings/clock`, { body });
    const announced = await set({ date: "2030-01-01", mode: "enforce", rehearsalTime: null });
    expect(announced.body).toMatchObject({ ended: false, settings: { deprecation_date: "2030-01-01" } });
    const rehearsed = await set({ rehearsalTime: "2030-01-01T00:00:00Z" });
    expect(rehearsed.body).toMatchObject({ ended: true });
    expect((await set({ date: "soon" })).status).toBe(400);
  });

  test("users other than admins can neither read nor change the settings", async () => {
    for (const role of ["staff", "viewer"] as const) {
      const who = await signInAs(role, [basics.enabled]);
      const path = `practices/${basics.enabled}`;
      const put = { body: { enabled: false }, ...reason("no") };
      expect((await staffCallAs(who, "PUT", `${path}/settings/versioning`, put)).status).toBe(403);
      expect((await staffCallAs(who, "PUT", `${path}/settings/clock`, { body: {} })).status).toBe(403);
      // The count of affected records locks the practice, so only admins may request it.
      for (const page of [
        "settings",
        "settings/versioning",
        "members",
        "clients",
        "audit",
        "audit/chain",
        "audit/export",
      ])
        expect((await staffCallAs(who, "GET", `${path}/${page}`)).status).toBe(403);
    }
    expect((await staffCallAs(admin, "GET", `practices/${basics.foreign}/settings`)).status).toBe(404);
  });
});

describe("the members of a practice", () => {
  const members = async (who: SignedIn, practice: number) =>
    (await staffCallAs(who, "GET", `practices/${practice}/members`)).body.members as {
      id: number;
      email: string;
      role: string;
      practices: number[];
      elsewhere: boolean;
      version: number;
    }[];
  const input = (over: object = {}) => ({
    name: "Kim Ito",
    email: `kim-${Math.random()}@example.org`,
    role: "staff",
    practices: [basics.enabled],
    ...over,
  });
  const add = (who: SignedIn, practice: number, body: object) =>
    staffCallAs(who, "POST", `practices/${practice}/members`, { body });
  const change = (who: SignedIn, practice: number, id: number, body: object, headers = {}) =>
    staffCallAs(who, "PATCH", `practices/${practice}/members/${id}`, { body, headers });

  test("a member is added with a generated or typed password, and the change is audited", async () => {
    const created = await add(admin, basics.enabled, input());
    expect(created.status).toBe(201);
    expect(created.body.password).toMatch(/^[\w-]{16}$/);
    const typed = await add(admin, basics.enabled, input({ password: "twelve letters" }));
    expect(typed.body.password).toBeNull();
    expect((await add(admin, basics.enabled, input({ password: "short" }))).status).toBe(400);
    expect(await historyOf("staff_user", created.body.id)).toMatchObject([
      { version: 1, kind: "created", changes: { role: { old: null, new: "staff" } }, source: "staff" },
    ]);
    expect(JSON.stringify(await historyOf("staff_user", created.body.id))).not.toContain(created.body.password);
    const page = await staffCallAs(admin, "GET", `practices/${basics.enabled}/members`);
    expect(JSON.stringify(page.body)).not.toContain("scrypt");
  });

  test("an address in use and practices of other admins are rejected", async () => {
    const taken = await add(admin, basics.enabled, input({ email: admin.email.toUpperCase() }));
    expect([taken.status, taken.body]).toEqual([400, { email: ["Another user has this email address."] }]);
    const foreign = await add(admin, basics.enabled, input({ practices: [basics.enabled, basics.foreign] }));
    expect([foreign.status, foreign.body]).toEqual([400, { practices: ["No such practice."] }]);
    const absent = await add(admin, basics.enabled, input({ practices: [basics.disabled] }));
    expect(absent.status).toBe(400);
  });

  test("a lower role and a disabled account take effect with the next call", async () => {
    const other = await signInAs("admin", [basics.enabled]);
    const list = () => staffCallAs(other, "GET", `practices/${basics.enabled}/members`);
    expect((await list()).status).toBe(200);
    expect((await change(admin, basics.enabled, other.userId, { role: "viewer" }, { "if-match": '"1"' })).status).toBe(
      204,
    );
    expect((await list()).status).toBe(403);
    expect((await change(admin, basics.enabled, other.userId, { disabled: true }, { "if-match": '"1"' })).status).toBe(
      412,
    );
    expect((await change(admin, basics.enabled, other.userId, { disabled: true })).status).toBe(204);
    expect((await list()).status).toBe(401);
    expect(await historyOf("staff_user", other.userId)).toMatchObject([
      { version: 2, changes: { role: { old: "admin", new: "viewer" } } },
      { version: 3, changes: { disabled: { old: false, new: true } } },
    ]);
  });

  test("the last admin of a practice can't leave or lose the role, even if two try at once", async () => {
    const practice = await seedPractice(basics.organization, "Small Practice", false);
    const [one, two] = [await signInAs("admin", [practice]), await signInAs("admin", [practice])];
    const responses = await Promise.all([
      change(one, practice, two.userId, { role: "staff" }),
      change(two, practice, one.userId, { role: "staff" }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 403]);
    const last = responses[0]?.status === 204 ? one : two;
    for (const body of [{ role: "viewer" }, { disabled: true }]) {
      const rejected = await change(last, practice, last.userId, body);
      expect([rejected.status, rejected.body.code]).toEqual([422, "last_admin"]);
    }
    const path = `practices/${practice}/members/${last.userId}`;
    expect((await staffCallAs(last, "DELETE", path)).body.code).toBe("last_admin");
  });

  test("an admin removes a member of several practices only from their own", async () => {
    const sibling = await seedPractice(basics.organization, "Northside Urgent Care", true);
    const both = await signInAs("staff", [basics.enabled, sibling]);
    const seen = (await members(admin, basics.enabled)).find(({ id }) => id === both.userId);
    expect(seen).toMatchObject({ practices: [basics.enabled], elsewhere: true });
    for (const body of [{ role: "admin" }, { disabled: true }, { name: "Another" }]) {
      const rejected = await change(admin, basics.enabled, both.userId, body);
      expect([rejected.status, rejected.body.code]).toEqual([409, "belongs_elsewhere"]);
    }
    const path = `practices/${basics.enabled}/members/${both.userId}`;
    expect((await staffCallAs(admin, "POST", `${path}/password`)).status).toBe(409);
    expect((await staffCallAs(admin, "DELETE", path)).status).toBe(204);
    expect((await staffCallAs(both, "GET", `practices/${basics.enabled}/patients`)).status).toBe(404);
    expect((await staffCallAs(both, "GET", `practices/${sibling}/patients`)).status).toBe(200);
    expect((await staffCallAs(admin, "DELETE", path)).status).toBe(404);
  });

  test("a user who was removed from their last practice can be added again, with another password", async () => {
    const who = await signInAs("admin", [basics.enabled]);
    const path = `practices/${basics.enabled}/members`;
    await staffCallAs(admin, "DELETE", `${path}/${who.userId}`);
    const again = await add(admin, basics.enabled, input({ email: who.email, role: "viewer" }));
    expect(again.body).toMatchObject({ id: who.userId });
    expect((await staffCallAs(who, "GET", path)).status).toBe(401);
    const seen = (await members(admin, basics.enabled)).find(({ id }) => id === who.userId);
    expect(seen).toMatchObject({ role: "viewer", practices: [basics.enabled] });
  });

  test("a new password signs a member out", async () => {
    const who = await signInAs("staff", [basics.enabled]);
    const path = `practices/${basics.enabled}/members/${who.userId}/password`;
    const response = await staffCallAs(admin, "POST", path, reason("forgot it"));
    expect(response.body.password).toMatch(/^[\w-]{16}$/);
    expect((await staffCallAs(who, "GET", `practices/${basics.enabled}/settings`)).status).toBe(401);
    expect(await historyOf("staff_user", who.userId)).toMatchObject([{ reason: "forgot it" }]);
  });

  test("a password set by command ends all sessions of the user", async () => {
    const who = await signInAs("staff", [basics.enabled]);
    const other = await signInAs("staff", [basics.enabled]);
    const second = await cookieOf(String(await startSession(who.userId, { address: null, userAgent: null })));
    await setStaffPassword(who.userId, "another long password");
    const path = `practices/${basics.enabled}/patients`;
    const responses = await Promise.all([who, second, other].map((one) => staffCallAs(one, "GET", path)));
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 200]);
    await expect(setStaffPassword(999_999_999, "another long password")).rejects.toThrow("No such user.");
  });

  test("a member sent twice with one Idempotency-Key is added once; the password is shown once and stored nowhere", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const body = input({ practices: [basics.enabled] });
    const send = () => staffCallAs(admin, "POST", `practices/${basics.enabled}/members`, { body, headers });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.status, again.body.code]).toEqual([201, 409, "idempotency_told_once"]);
    const kept = await db.rows(sql`SELECT * FROM idempotency_key WHERE key = ${headers["idempotency-key"]}`);
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain(first.body.password);
  });
});
