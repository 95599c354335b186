// Who may what on the staff side: every call and every page, for each role, for nobody, for sessions that are over and for
// somebody from elsewhere; what is a security event is audited (ADR 0110). Made of the route table and the pages' files.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endSession } from "@/lib/access/staff/commands";
import { exportsByDefault } from "@/lib/access/staff/rules";
import { includesRole, STAFF_ROLES, type StaffRole } from "@/lib/access/staff/schema";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { type Basics, seedBasics } from "../support/api";
import { securityEventsOf } from "../support/security-events";
import { type RunningServer, startServer } from "../support/servers";
import { changeSession, type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { pathOf, type Records, readStaffPages, rolesBelow, STAFF_ENDPOINTS, seedRecords } from "../support/staff-world";

let basics: Basics;
let ours: Records;
let theirs: Records;
let staff: Record<StaffRole, SignedIn>;
let stranger: SignedIn;
/** An admin of another practice of our organization. */
let sibling: SignedIn;
let over: Over[];

/** A session that is over, and the event that its use is. */
interface Over {
  who: SignedIn;
  cause: string;
}

beforeAll(async () => {
  basics = await seedBasics();
  [ours, theirs] = [await seedRecords(basics, "enabled"), await seedRecords(basics, "foreign")];
  const member = (role: StaffRole) => signInAs(role, [basics.enabled]);
  staff = { admin: await member("admin"), staff: await member("staff"), viewer: await member("viewer") };
  stranger = await signInAs("admin", [basics.foreign]);
  sibling = await signInAs("admin", [basics.disabled]);
  const [left, gone, changed] = [await member("admin"), await member("admin"), await member("admin")];
  await endSession(left.sessionId, "signed_out");
  await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${gone.userId}`);
  await endSession(changed.sessionId, "password_changed");
  over = [
    { who: left, cause: "signed_out" },
    { who: gone, cause: "account_disabled" },
    { who: changed, cause: "password_changed" },
  ];
}, 60_000);

const CALLS = STAFF_ENDPOINTS.map(({ method, path, declaration }) => [method, path, declaration.role] as const);
const OF_A_PRACTICE = CALLS.filter(([, path]) => path.includes("[practice]"));
const EXPORTS = new Set(STAFF_ENDPOINTS.filter(({ declaration }) => declaration.exports).map(({ path }) => path));
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

  const send = (who: SignedIn | null, method: string, path: string, records = ours) =>
    staffCallAs(who, method, pathOf(path, records), bodyFor(method));

  test.each(CALLS)("%s %s is nothing for nobody, and for nobody whose session is over: 401", async (method, path) => {
    const events = await securityEventsOf(basics.enabled, async () => {
      expect((await send(null, method, path)).status).toBe(401);
      for (const { who } of over) expect((await send(who, method, path)).status).toBe(401);
    });
    const at = `/api/staff/${pathOf(path, ours)}`;
    expect(events.map(({ operation, detail, path: asked }) => [operation, detail.cause, asked])).toEqual(
      over.map(({ cause }) => ["session.rejected", cause, at]),
    );
  });

  test("is nothing with a session that expired: 401, and its end is an event once", async () => {
    const who = await signInAs("admin", [basics.enabled]);
    await changeSession(who.sessionId, { seen_date: new Date(Date.now() - 86_400_000).toISOString() });
    const events = await securityEventsOf(basics.enabled, async () => {
      for (const [method, path] of CALLS) expect((await send(who, method, path)).status, path).toBe(401);
    });
    expect(events).toMatchObject([{ operation: "session.expired", detail: { about: { id: who.userId } } }]);
  });

  test.each(OF_A_PRACTICE)(
    "%s %s is absent for admins of other practices and organizations: 404",
    async (method, path) => {
      for (const [who, home] of [
        [stranger, basics.foreign],
        [sibling, basics.disabled],
      ] as const) {
        const events = await securityEventsOf(home, async () => {
          const [found, absent] = [
            await send(who, method, path),
            await send(who, method, path, { ...ours, practice: 999_999_999 }),
          ];
          expect([found.status, found.body]).toEqual([404, absent.body]);
        });
        const denied = { operation: "access.denied", actor_id: who.userId, detail: { cause: "other_practice" } };
        expect(events[0]).toMatchObject({ ...denied, path: `/api/staff/${pathOf(path, ours)}` });
      }
    },
  );

  test.each(CALLS.filter(([, , role]) => rolesBelow(role).length > 0))(
    "%s %s is not for lower roles than its own: 403",
    async (method, path, role) => {
      const events = await securityEventsOf(basics.enabled, async () => {
        for (const below of rolesBelow(role)) expect(await statusOf(staff[below], method, path), below).toBe(403);
      });
      const denied = { operation: "access.denied", detail: { cause: "role", facts: { needed: role } } };
      expect(events).toMatchObject(rolesBelow(role).map((below) => ({ ...denied, actor_id: staff[below].userId })));
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
    const lacksRight = EXPORTS.has(path) && !exportsByDefault(own);
    if (lacksRight) expect(status).toBe(403);
    else expect([401, 403]).not.toContain(status);
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

  /** Rejected uses of a user's session that the server stored for a page. */
  const countRejected = async ({ userId }: SignedIn) =>
    (
      await db.first<{ n: number }>(sql`
        SELECT count(*) AS n FROM audit_entry WHERE practice_id = ${basics.enabled} AND operation = 'session.rejected'
          AND path LIKE '/practices/%' AND (detail->'about'->>'id')::bigint = ${userId}`)
    )?.n ?? 0;

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

  test.each(PAGES)("/%s leads whose session is over to the sign-in page, which is an event", async (path) => {
    for (const { who, cause } of over) {
      const before = await countRejected(who);
      expect((await visit(who, path)).status).toBe(307);
      // The server counts repeated ones for a while: the first of each is stored at once.
      expect(await countRejected(who), cause).toBe(Math.max(before, 1));
    }
  });

  test.each(PAGES)(
    "/%s does not exist for admins of other practices and organizations, nor for roles below its own",
    async (path, role) => {
      for (const other of [stranger, sibling]) expect((await visit(other, path)).status).toBe(404);
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
