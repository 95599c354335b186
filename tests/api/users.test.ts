// Users: staff accounts as API clients create and change them, by the rules of the members page.
import { beforeAll, describe, expect, test } from "vitest";
import { verifyPassword } from "@/lib/access/staff/passwords";
import { db, sql } from "@/lib/platform/db/sql";
import { absentRecords } from "@/lib/platform/errors";
import { seedPractice, tokenFor } from "../support/api";
import { historyOf } from "../support/history";
import { type PracticeClient, seedPracticeClient } from "../support/practice";
import { listSecurityEvents } from "../support/security-events";
import { PASSWORD, signInAs, staffCallAs } from "../support/staff";

let { basics, token, practice, user, get, post, patch, create } = {} as PracticeClient;
beforeAll(async () => {
  ({ basics, token, practice, user, get, post, patch, create } = await seedPracticeClient());
});

let created = 0;
const userBody = (fields: object = {}) => ({
  email: `user-${++created}@example.org`,
  first_name: "Ana Maria",
  last_name: "de la Cruz",
  is_active: true,
  practice,
  user_type: "physician",
  ...fields,
});
const QUALIFICATIONS = { credentials: "MD", license: "A100", license_state: "MA", npi: "1234567893" };

describe("a created user", () => {
  test("keeps every field, and belongs to the practice as a member", async () => {
    const sent = userBody({ account_type: "oncall", credentialed: true, physician_qualifications: QUALIFICATIONS });
    const { status, body, headers } = await post("users/", { ...sent, email: sent.email.toUpperCase() });
    const expected = { ...sent, has_chart_access: true, is_practice_admin: false, is_read_only: false };
    expect([status, body]).toEqual([201, { id: expect.any(Number), ...expected }]);
    expect(headers.get("location")).toMatch(new RegExp(`/api/2.0/users/${body.id}/$`));
    expect((await get(`users/${body.id}/`)).body).toEqual(body);
    const staff = (await get("office_staff/?limit=100")).body.results;
    expect(staff).toContainEqual(
      expect.objectContaining({ user_id: body.id, first_name: "Ana Maria", last_name: "de la Cruz", practice }),
    );
    const admin = await signInAs("admin", [practice]);
    const { members } = (await staffCallAs(admin, "GET", `practices/${practice}/members`)).body;
    expect(members).toContainEqual(
      expect.objectContaining({ id: body.id, name: "Ana Maria de la Cruz", role: "staff" }),
    );
  });

  test("has a history and an audit entry that name the client, and no response has a password", async () => {
    const { id } = (await post("users/", userBody({ is_practice_admin: true }))).body;
    const admin = await signInAs("admin", [practice]);
    const { changes } = (await staffCallAs(admin, "GET", `practices/${practice}/members`)).body;
    const version = changes.find((change: { record_id: number }) => change.record_id === id);
    expect(version).toMatchObject({
      kind: "created",
      source: "api",
      actor: { type: "client" },
      changes: { role: { old: null, new: "admin" }, user_type: { old: null, new: "physician" } },
    });
    const added = (await listSecurityEvents(practice)).find(({ detail }) => detail.about?.id === id);
    expect(added).toMatchObject({
      operation: "member.added",
      actor_type: "client",
      detail: { facts: { role: "admin" } },
    });
    expect(JSON.stringify([(await get(`users/${id}/`)).body, version])).not.toMatch(/scrypt|password/);
  });

  test.each([
    [{}, "staff"],
    [{ is_practice_admin: true }, "admin"],
    [{ is_read_only: true }, "viewer"],
  ])("with %o has the role %s", async (fields, role) => {
    const { id } = (await post("users/", userBody(fields))).body;
    const [version] = await historyOf("staff_user", id);
    expect(version?.changes.role).toEqual({ old: null, new: role });
  });

  test("has no password, but the salt of other accounts with the address", async () => {
    const { email } = await signInAs("staff", [basics.foreign]);
    const { id } = (await post("users/", userBody({ email }))).body;
    const hashes = await db.rows<{ id: number; password_hash: string }>(
      sql`SELECT id, password_hash FROM staff_user WHERE email = ${email} ORDER BY id`,
    );
    const [sibling = "", own = ""] = hashes.map(({ password_hash }) => password_hash);
    const beforeKey = (hash: string) => hash.split("$").slice(0, -1);
    expect([hashes.length, hashes.at(-1)?.id, beforeKey(own)]).toEqual([2, id, beforeKey(sibling)]);
    expect(await verifyPassword(PASSWORD, own)).toBe(false);
  });

  test("can be disabled from the start", async () => {
    const { id, is_active } = (await post("users/", userBody({ is_active: false }))).body;
    expect([is_active, (await get(`users/${id}/`)).body.is_active]).toEqual([false, false]);
    const staff = (await get("office_staff/?limit=100")).body.results.map((one: { user_id: number }) => one.user_id);
    expect(staff).not.toContain(id);
  });

  test("is rejected with an address in use, another practice, or two roles", async () => {
    const sent = userBody();
    await create("users/", sent);
    const rejected = [
      await post("users/", userBody({ email: sent.email.toUpperCase() })),
      await post("users/", userBody({ practice: basics.disabled })),
      await post("users/", userBody({ practice: basics.foreign })),
      await post("users/", userBody({ is_practice_admin: true, is_read_only: true })),
    ];
    expect(rejected.map(({ status, body }) => [status, body])).toEqual([
      [400, { email: ["Another user has this email address."] }],
      [400, { practice: absentRecords(basics.disabled) }],
      [400, { practice: absentRecords(basics.foreign) }],
      [400, { is_read_only: ["A practice admin can't be read-only."] }],
    ]);
  });
});

describe("a changed user", () => {
  test("keeps the fields that were not sent, and has a new version", async () => {
    const before = (await post("users/", userBody({ is_read_only: true }))).body;
    const changed = await patch(`users/${before.id}/`, { first_name: "Anna", credentialed: true });
    expect(changed.body).toEqual({ ...before, first_name: "Anna", credentialed: true });
    expect(changed.headers.get("etag")).toBe('"2"');
    expect((await historyOf("staff_user", before.id)).at(-1)).toMatchObject({
      version: 2,
      changes: {
        name: { old: "Ana Maria de la Cruz", new: "Anna de la Cruz" },
        credentialed: { old: false, new: true },
      },
    });
    const same = await patch(`users/${before.id}/`, { ...before, first_name: "Anna", credentialed: true });
    expect([same.status, same.headers.get("etag")]).toEqual([200, '"2"']);
  });

  test("follows the name that an admin gave the account", async () => {
    const { id } = (await post("users/", userBody())).body;
    const admin = await signInAs("admin", [practice]);
    await staffCallAs(admin, "PATCH", `practices/${practice}/members/${id}`, { body: { name: "Kim Lee Ito" } });
    expect((await get(`users/${id}/`)).body).toMatchObject({ first_name: "Kim Lee", last_name: "Ito" });
  });

  test("loses the sessions when disabled, and a lower role applies at once", async () => {
    const who = await signInAs("admin", [practice]);
    await signInAs("admin", [practice]);
    const members = () => staffCallAs(who, "GET", `practices/${practice}/members`);
    expect((await patch(`users/${who.userId}/`, { is_practice_admin: false })).body.is_practice_admin).toBe(false);
    expect((await members()).status).toBe(403);
    expect((await patch(`users/${who.userId}/`, { is_active: false })).body.is_active).toBe(false);
    expect((await members()).status).toBe(401);
  });

  test("can get no other address or practice", async () => {
    const before = (await post("users/", userBody())).body;
    const both = await tokenFor({ organizationId: basics.organization, practices: [practice, basics.disabled] });
    const rejected = [
      await patch(`users/${before.id}/`, { email: "another@example.org" }),
      await patch(`users/${before.id}/`, { practice: basics.disabled }, both),
      await patch(`users/${before.id}/`, { practice: basics.foreign }),
    ];
    expect(rejected.map(({ status, body }) => [status, Object.keys(body)])).toEqual([
      [400, ["email"]],
      [400, ["practice"]],
      [400, ["practice"]],
    ]);
    expect((await get(`users/${before.id}/`, both)).body).toEqual(before);
  });

  test("is rejected if the user also belongs to practices of others", async () => {
    const { userId } = await signInAs("staff", [practice, basics.disabled]);
    expect((await get(`users/${userId}/`)).body.practice).toBe(practice);
    for (const fields of [{ is_practice_admin: true }, { last_name: "Other" }, { credentialed: true }]) {
      const rejected = await patch(`users/${userId}/`, fields);
      expect([rejected.status, rejected.body.code]).toEqual([409, "belongs_elsewhere"]);
    }
  });

  test("stays an admin if the practice would have no other", async () => {
    const small = await seedPractice(basics.organization, "Small Practice", false);
    const client = await tokenFor({ organizationId: basics.organization, practices: [small] });
    const { userId } = await signInAs("admin", [small]);
    for (const fields of [{ is_practice_admin: false }, { is_active: false }]) {
      const rejected = await patch(`users/${userId}/`, fields, client);
      expect([rejected.status, rejected.body.code]).toEqual([422, "last_admin"]);
    }
  });
});

test("users of other practices and organizations look absent", async () => {
  const other = await signInAs("staff", [basics.disabled]);
  const foreign = await signInAs("staff", [basics.foreign]);
  for (const id of [other.userId, foreign.userId, 999_999_999]) {
    const found = [await get(`users/${id}/`), await patch(`users/${id}/`, { is_active: false })];
    expect(found.map(({ status, body }) => [status, body.code])).toEqual([
      [404, "not_found"],
      [404, "not_found"],
    ]);
  }
  const listed = (await get("users/?limit=100")).body.results.map((one: { id: number }) => one.id);
  expect(listed).toContain(user);
  expect(listed).not.toContain(other.userId);
});

test("users need the global scope, even with all specific scopes about staff", async () => {
  const scopes = ["system/office_staff.read", "system/office_staff.write", "system/practices.write"];
  const limited = await tokenFor({ organizationId: basics.organization, practices: [practice], scopes });
  for (const response of [await get("users/", limited), await post("users/", userBody(), limited)])
    expect([response.status, response.body.code]).toEqual([403, "insufficient_scope"]);
  expect((await get("users/", token)).status).toBe(200);
});
