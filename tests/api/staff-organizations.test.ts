// An account belongs to one organization: admins elsewhere can neither take it over nor learn that it exists (ADR 0112).
import { beforeAll, describe, expect, test } from "vitest";
import { createStaffUser } from "@/lib/access/staff/commands";
import { verifyPasswords } from "@/lib/access/staff/passwords";
import { listStaffUsers } from "@/lib/access/staff/queries";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, seedBasics } from "@/tests/support/api";
import { PASSWORD, type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

let basics: Basics;
let admin: SignedIn;
let stranger: SignedIn;
beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled, basics.disabled]);
  stranger = await signInAs("admin", [basics.foreign]);
});

const theirs = () => `practices/${basics.foreign}/members`;
const add = (who: SignedIn, practice: number, email: string, over: object = {}) =>
  staffCallAs(who, "POST", `practices/${practice}/members`, {
    body: { name: "Kim Ito", email, role: "viewer", practices: [practice], ...over },
  });

describe("an admin of another organization", () => {
  test("who adds our address creates a new account, and ours stays unchanged", async () => {
    const ours = await signInAs("admin", [basics.enabled]);
    const before = (await listStaffUsers(ours.email))[0];
    const taken = await add(stranger, basics.foreign, ours.email.toUpperCase(), { password: "their own password" });
    const fresh = await add(stranger, basics.foreign, `new-${ours.email}`, { password: "their own password" });
    expect([taken.status, Object.keys(taken.body)]).toEqual([fresh.status, Object.keys(fresh.body)]);
    expect(taken.body.id).not.toBe(ours.userId);
    const accounts = await listStaffUsers(ours.email);
    expect(accounts.find(({ id }) => id === ours.userId)).toEqual(before);
    const verdict = (password: string) =>
      verifyPasswords(
        password,
        accounts.map(({ password_hash }) => password_hash),
      ).then((right) => accounts.filter((_one, at) => right[at]).map(({ id }) => id));
    expect(await verdict(PASSWORD)).toEqual([ours.userId]);
    expect(await verdict("their own password")).toEqual([taken.body.id]);
    expect((await staffCallAs(ours, "GET", `practices/${basics.enabled}/members`)).status).toBe(200);
  });

  test("can't find our accounts to change or remove them or reset their passwords", async () => {
    const ours = await signInAs("staff", [basics.enabled]);
    const at = (id: number) => `${theirs()}/${id}`;
    for (const [method, tail, body] of [
      ["PATCH", "", { role: "admin" }],
      ["DELETE", "", undefined],
      ["POST", "/password", undefined],
    ] as const) {
      const send = (id: number) =>
        staffCallAs(stranger, method, `${at(id)}${tail}`, body === undefined ? {} : { body });
      const [found, absent] = [await send(ours.userId), await send(999_999_999)];
      expect([found.status, found.body]).toEqual([404, absent.body]);
    }
    const listed = await staffCallAs(stranger, "GET", theirs());
    expect(JSON.stringify(listed.body)).not.toContain(ours.email);
  });

  test("can't add an account to a practice of another organization, which the database also rejects", async () => {
    const both = {
      email: `both-${Math.random()}@example.org`,
      name: "Both",
      role: "staff" as const,
      password: PASSWORD,
    };
    const practices = [basics.enabled, basics.foreign];
    await expect(createStaffUser({ ...both, practices })).rejects.toMatchObject({
      fields: { practices: expect.anything() },
    });
    const insert = db.run(sql`
      INSERT INTO staff_user_practice (user_id, practice_id) VALUES (${admin.userId}, ${basics.foreign})`);
    await expect(insert).rejects.toMatchObject({ code: "23514" });
  });
});

test("accounts of one address share a salt across organizations, so one hash checks them all", async () => {
  const ours = await signInAs("staff", [basics.enabled]);
  await add(stranger, basics.foreign, ours.email, { password: "their own password" });
  await staffCallAs(admin, "POST", `practices/${basics.enabled}/members/${ours.userId}/password`);
  const saltOf = (hash: string) => hash.split("$").slice(0, 5).join("$");
  const accounts = await listStaffUsers(ours.email);
  expect(accounts).toHaveLength(2);
  expect(new Set(accounts.map(({ password_hash }) => saltOf(password_hash))).size).toBe(1);
  const other = await listStaffUsers(admin.email);
  expect(saltOf(other[0]?.password_hash ?? "")).not.toBe(saltOf(accounts[0]?.password_hash ?? ""));
});
