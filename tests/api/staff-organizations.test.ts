// An account is of one organization: admins elsewhere can neither take it over nor learn that it exists (ADR 0112).
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/db/sql";
import { createStaffUser } from "@/lib/staff/commands";
import { verifyPasswords } from "@/lib/staff/passwords";
import { listStaffUsers } from "@/lib/staff/queries";
import { type Basics, seedBasics } from "@/tests/support/api";
import { ownerUrl } from "@/tests/support/owner";
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
  test("who adds an address that is ours gets what anyone new gets, and our account stays as it is", async () => {
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

  test("finds our accounts nowhere: not to change, remove or give another password", async () => {
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

  test("can't bring an account into a practice of another organization, nor can the database be told to", async () => {
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

test("accounts with one address cost one try of a password, whatever organizations they are in", async () => {
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

test("the migration splits an account of several organizations, and each part keeps its practices and password", async () => {
  const folder = path.resolve(import.meta.dirname, "../../prisma/migrations");
  const name = readdirSync(folder).find((one) => one.endsWith("_accounts_of_organizations")) as string;
  const client = new pg.Client({ connectionString: ownerUrl() });
  await client.connect();
  try {
    await client.query(`BEGIN;
      CREATE SCHEMA before_split; SET LOCAL search_path = before_split;
      CREATE TABLE organisation (id bigint PRIMARY KEY, name text);
      CREATE TABLE practice (id bigint PRIMARY KEY, organisation_id bigint);
      CREATE TABLE record_version (record_type text, record_id bigint, practice_id bigint, version int);
      CREATE TABLE staff_user (id bigserial PRIMARY KEY, email text, name text, password_hash text, role text,
        created_date timestamptz DEFAULT now(), disabled_date timestamptz, version int DEFAULT 1);
      CREATE UNIQUE INDEX staff_user_email_key ON staff_user (email);
      CREATE TABLE staff_user_practice (id bigserial, user_id bigint REFERENCES staff_user, practice_id bigint);
      INSERT INTO organisation VALUES (1, 'A'), (2, 'B'), (3, 'C');
      INSERT INTO practice VALUES (10, 1), (20, 2), (21, 2), (30, 3);
      INSERT INTO staff_user (email, name, password_hash, role) VALUES ('one@a', 'One', 'h1', 'staff'),
        ('all@a', 'All', 'h2', 'admin'), ('gone@a', 'Gone', 'h3', 'viewer');
      INSERT INTO staff_user_practice (user_id, practice_id) VALUES (1, 10), (2, 10), (2, 20), (2, 21), (2, 30);
      INSERT INTO record_version VALUES ('staff_user', 3, 30, 1);`);
    await client.query(readFileSync(path.join(folder, name, "migration.sql"), "utf8"));
    const { rows } = await client.query(`
      SELECT u.email, u.organisation_id::int AS org, u.password_hash AS hash, u.role,
        array_agg(m.practice_id::int ORDER BY m.practice_id) FILTER (WHERE m.practice_id IS NOT NULL) AS practices,
        array_agg(m.id::int ORDER BY m.id) FILTER (WHERE m.id IS NOT NULL) AS memberships, u.id <= 3 AS kept
      FROM staff_user u LEFT JOIN staff_user_practice m ON m.user_id = u.id GROUP BY u.id ORDER BY email, org`);
    const all = { email: "all@a", hash: "h2", role: "admin" };
    expect(rows).toEqual([
      { ...all, org: 1, practices: [10], memberships: [2], kept: false },
      { ...all, org: 2, practices: [20, 21], memberships: [3, 4], kept: true },
      { ...all, org: 3, practices: [30], memberships: [5], kept: false },
      { email: "gone@a", org: 3, hash: "h3", role: "viewer", practices: null, memberships: null, kept: true },
      { email: "one@a", org: 1, hash: "h1", role: "staff", practices: [10], memberships: [1], kept: true },
    ]);
  } finally {
    await client.query("ROLLBACK");
    await client.end();
  }
});
