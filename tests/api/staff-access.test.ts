// Who may what on the staff side: every call and every page, for each role, for nobody and for somebody from elsewhere.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { includesRole, STAFF_ROLES, type StaffRole } from "@/lib/staff/schema";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, seedBasics } from "../support/api";
import { type RunningServer, startServer } from "../support/servers";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { pathOf, type Records, readStaffPages, rolesBelow, STAFF_ENDPOINTS, seedRecords } from "../support/staff-world";

let basics: Basics;
let ours: Records;
let theirs: Records;
let staff: Record<StaffRole, SignedIn>;
let stranger: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  [ours, theirs] = [await seedRecords(basics, "enabled"), await seedRecords(basics, "foreign")];
  const member = (role: StaffRole) => signInAs(role, [basics.enabled]);
  staff = { admin: await member("admin"), staff: await member("staff"), viewer: await member("viewer") };
  stranger = await signInAs("admin", [basics.foreign]);
}, 60_000);

const CALLS = STAFF_ENDPOINTS.map(({ method, path, declaration }) => [method, path, declaration.role] as const);
const OF_A_PRACTICE = CALLS.filter(([, path]) => path.includes("[practice]"));
const WRITES = CALLS.filter(([method]) => method !== "GET");
const bodyFor = (method: string) => (method === "GET" ? {} : { body: {} });
const statusOf = async (who: SignedIn | null, method: string, path: string, records = ours) =>
  (await staffCallAs(who, method, pathOf(path, records), bodyFor(method))).status;

describe("a call", () => {
  test("has a record for each parameter of its path", () => {
    const names = CALLS.flatMap(([, path]) => [...path.matchAll(/\[(\w+)\]/g)].map(([, name]) => name as string));
    expect([...new Set(names)].filter((name) => !(name in ours))).toEqual([]);
  });

  test.each(CALLS)("%s %s says the least role that may", (_method, _path, role) => {
    expect(STAFF_ROLES).toContain(role);
  });

  test.each(CALLS)("%s %s is nothing for nobody: 401", async (method, path) => {
    expect(await statusOf(null, method, path)).toBe(401);
  });

  test.each(OF_A_PRACTICE)("%s %s does not exist for another practice's admin: 404", async (method, path) => {
    expect(await statusOf(stranger, method, path)).toBe(404);
  });

  test.each(CALLS.flatMap(([method, path, role]) => rolesBelow(role).map((below) => [method, path, below] as const)))(
    "%s %s is not for a %s: 403",
    async (method, path, below) => {
      expect(await statusOf(staff[below], method, path)).toBe(403);
    },
  );

  test.each(WRITES)("%s %s is not for pages of other sites: 403", async (method, path) => {
    const foreign: Record<string, string>[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "http://localhost:3001" },
      { "sec-fetch-site": "cross-site" },
    ];
    for (const headers of foreign) {
      const answer = await staffCallAs(staff.admin, method, pathOf(path, ours), { headers, ...bodyFor(method) });
      expect(answer.status, JSON.stringify(headers)).toBe(403);
    }
  });

  test.each(OF_A_PRACTICE.filter(([, path]) => path.split("[").length > 2))(
    "%s %s finds no record of another practice under one's own",
    async (method, path) => {
      const records = { ...theirs, practice: ours.practice as number };
      const { status, body } = await staffCallAs(staff.admin, method, pathOf(path, records), bodyFor(method));
      // A list below a record may be empty; a write's body may be refused before its record is looked for, or for being JSON.
      if (status === 200) expect(body).toEqual({ results: [] });
      else expect(method === "GET" ? [404] : [400, 404, 415]).toContain(status);
    },
  );

  // Last: what they are let do, they do.
  test.each(
    CALLS.flatMap(([method, path, role]) =>
      STAFF_ROLES.filter((own) => includesRole(own, role)).map((own) => [method, path, own] as const),
    ),
  )("%s %s lets a %s in", async (method, path, own) => {
    const status = await statusOf(staff[own], method, path);
    expect([401, 403]).not.toContain(status);
    expect(status).toBeLessThan(500);
  });
});

describe("a page", () => {
  const PAGES = readStaffPages().map(({ path, role }) => [path, role] as const);
  let server: RunningServer;
  beforeAll(async () => {
    await build();
    server = await startServer("production");
  }, 240_000);
  afterAll(() => server?.stop());

  const visit = (who: SignedIn | null, path: string, records = ours) =>
    fetch(`${server.url}/${pathOf(path, records)}`, {
      redirect: "manual",
      headers: who ? { cookie: who.cookie } : {},
    });

  test.each(PAGES)("/%s says the least role that may", (_path, role) => {
    expect(STAFF_ROLES).toContain(role);
  });

  test.each(PAGES)("/%s leads nobody to the sign-in page and back", async (path) => {
    const { status, headers } = await visit(null, path);
    expect(status).toBe(307);
    expect(headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(`/${pathOf(path, ours)}`)}`);
  });

  test.each(PAGES)(
    "/%s does not exist for another practice's admin, nor for roles below its own",
    async (path, role) => {
      expect((await visit(stranger, path)).status).toBe(404);
      for (const below of rolesBelow(role as StaffRole))
        expect((await visit(staff[below], path)).status, below).toBe(404);
    },
  );

  test.each(PAGES.filter(([path]) => path.split("[").length > 2))(
    "/%s finds no record of another practice under one's own",
    async (path) => {
      expect((await visit(staff.admin, path, { ...theirs, practice: ours.practice as number })).status).toBe(404);
    },
  );

  test.each(PAGES)("/%s opens for every role from its own on", async (path, role) => {
    for (const own of STAFF_ROLES.filter((other) => includesRole(other, role as StaffRole)))
      expect([200, 307], own).toContain((await visit(staff[own], path)).status);
  });

  test("of a practice that can't be is none", async () => {
    for (const practice of ["999999999", "0", "-1", "abc", "1e3", "9".repeat(30)])
      expect((await visit(staff.admin, "practices/[practice]/patients", { practice })).status, practice).toBe(404);
  });
});
