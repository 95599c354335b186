// Access to each staff operation and page: by role, without a session, with an ended session, and from other
// practices and organizations. Security events are audited (ADR 0110). The route table and the pages' files define what
// is tested.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endSession } from "@/lib/access/staff/commands";
import { exportsByDefault, includesRole, STAFF_ROLES, type StaffRole } from "@/lib/access/staff/roles";
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
let otherPracticeAdmin: SignedIn;
/** Sessions that ended, and the cause that their security event names. */
let ended: { who: SignedIn; cause: string }[];

beforeAll(async () => {
  basics = await seedBasics();
  [ours, theirs] = [await seedRecords(basics, "enabled"), await seedRecords(basics, "foreign")];
  const member = (role: StaffRole) => signInAs(role, [basics.enabled]);
  staff = { admin: await member("admin"), staff: await member("staff"), viewer: await member("viewer") };
  stranger = await signInAs("admin", [basics.foreign]);
  otherPracticeAdmin = await signInAs("admin", [basics.disabled]);
  const [left, gone, changed] = [await member("admin"), await member("admin"), await member("admin")];
  await endSession(db, left.sessionId, "signed_out");
  await db.run(sql`UPDATE staff_user SET disabled_date = now() WHERE id = ${gone.userId}`);
  await endSession(db, changed.sessionId, "password_changed");
  ended = [
    { who: left, cause: "signed_out" },
    { who: gone, cause: "account_disabled" },
    { who: changed, cause: "password_changed" },
  ];
});

const OPERATIONS = STAFF_ENDPOINTS.map(({ method, path, declaration }) => ({
  method,
  path,
  role: declaration.role,
  isExport: Boolean(declaration.exports),
}));
type Operation = (typeof OPERATIONS)[number];
const named = OPERATIONS.map((operation) => [operation.method, operation.path, operation] as const);

const hasPractice = ({ path }: Operation) => path.includes("[practice]");
const namesRecord = (path: string) => path.split("[").length > 2;
const bodyFor = (method: string) => (method === "GET" ? {} : { body: {} });
const send = (who: SignedIn | null, { method, path }: Operation, records: Records = ours) =>
  staffCallAs(who, method, pathOf(path, records), bodyFor(method));

describe("operation", () => {
  test("parameters all have a record", () => {
    const parameters = OPERATIONS.flatMap(({ path }) =>
      [...path.matchAll(/\[(\w+)\]/g)].map(([, name]) => name as string),
    );
    expect([...new Set(parameters)].filter((name) => !(name in ours))).toEqual([]);
  });

  test.each(named)("%s %s rejects everyone without access", async (_method, _path, operation) => {
    await rejectsEndedSessions(operation);
    if (hasPractice(operation)) await hidesPracticeFromOthers(operation);
    await rejectsLowerRoles(operation);
    if (operation.method !== "GET") await rejectsOtherSites(operation);
    if (hasPractice(operation) && namesRecord(operation.path)) await hidesRecordsOfOtherPractices(operation);
  });

  test("rejects an expired session of each kind with 401, and stores the end as one event", async () => {
    const who = await signInAs("admin", [basics.enabled]);
    await changeSession(who.sessionId, { seen_date: new Date(Date.now() - 86_400_000).toISOString() });
    const events = await securityEventsOf(basics.enabled, async () => {
      for (const operation of OPERATIONS) expect((await send(who, operation)).status, operation.path).toBe(401);
    });
    expect(events).toMatchObject([{ operation: "session.expired", detail: { about: { id: who.userId } } }]);
  });

  // After all others, because these calls change records and end sessions.
  test.each(named)("%s %s admits every role from its own upwards", async (_method, _path, operation) => {
    for (const own of STAFF_ROLES.filter((role) => includesRole(role, operation.role))) {
      const { status } = await send(staff[own], operation);
      const lacksRight = operation.isExport && !exportsByDefault(own);
      if (lacksRight) expect([own, status]).toEqual([own, 403]);
      else expect([401, 403], own).not.toContain(status);
      expect(status, own).toBeLessThan(500);
    }
  });
});

async function rejectsEndedSessions(operation: Operation): Promise<void> {
  const events = await securityEventsOf(basics.enabled, async () => {
    expect((await send(null, operation)).status).toBe(401);
    for (const { who } of ended) expect((await send(who, operation)).status).toBe(401);
  });
  const path = `/api/staff/${pathOf(operation.path, ours)}`;
  expect(events.map((event) => [event.operation, event.detail.cause, event.path])).toEqual(
    ended.map(({ cause }) => ["session.rejected", cause, path]),
  );
}

/** Responds to admins of other practices and organizations as if the practice did not exist. */
async function hidesPracticeFromOthers(operation: Operation): Promise<void> {
  for (const [who, home] of [
    [stranger, basics.foreign],
    [otherPracticeAdmin, basics.disabled],
  ] as const) {
    const events = await securityEventsOf(home, async () => {
      const found = await send(who, operation);
      const absent = await send(who, operation, { ...ours, practice: 999_999_999 });
      expect([found.status, found.body]).toEqual([404, absent.body]);
    });
    expect(events[0]).toMatchObject({
      operation: "access.denied",
      actor_id: who.userId,
      detail: { cause: "other_practice" },
      path: `/api/staff/${pathOf(operation.path, ours)}`,
    });
  }
}

async function rejectsLowerRoles(operation: Operation): Promise<void> {
  const lower = rolesBelow(operation.role);
  const events = await securityEventsOf(basics.enabled, async () => {
    for (const role of lower) expect((await send(staff[role], operation)).status, role).toBe(403);
  });
  expect(events).toMatchObject(
    lower.map((role) => ({
      operation: "access.denied",
      actor_id: staff[role].userId,
      detail: { cause: "role", facts: { needed: operation.role } },
    })),
  );
}

const FROM_OTHER_SITES: Record<string, string>[] = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "http://localhost:3001" },
  { "sec-fetch-site": "cross-site" },
];

async function rejectsOtherSites({ method, path }: Operation): Promise<void> {
  for (const headers of FROM_OTHER_SITES) {
    const response = await staffCallAs(staff.admin, method, pathOf(path, ours), { headers, ...bodyFor(method) });
    expect(response.status, JSON.stringify(headers)).toBe(403);
  }
}

/** Expects no record of another practice below the admin's own practice. */
async function hidesRecordsOfOtherPractices(operation: Operation): Promise<void> {
  const { status, body } = await send(staff.admin, operation, { ...theirs, practice: ours.practice as number });
  // A list below a record may be empty. A write may reject its body before it looks for the record.
  if (status === 200) expect(body).toEqual({ results: [] });
  else expect(operation.method === "GET" ? [404] : [400, 404, 415]).toContain(status);
}

describe("page", () => {
  // Guides are no records of a practice.
  const pages = readStaffPages().map(({ path, ...page }) => ({
    ...page,
    path: path.replace("[guide]", "find-a-patient"),
  }));
  let server: RunningServer;
  beforeAll(async () => {
    await build();
    server = await startServer("production");
  });
  afterAll(() => server?.stop());

  const visit = (who: SignedIn | null, path: string, records = ours) =>
    fetch(`${server.url}/${pathOf(path, records)}`, {
      redirect: "manual",
      headers: who ? { cookie: who.cookie } : {},
    });

  test("files all require a role", () => {
    expect(pages.filter(({ role }) => role === null)).toEqual([]);
  });

  test.each(pages.map(({ path, role }) => [path, role as StaffRole] as const))(
    "/%s opens only for its roles",
    async (path, role) => {
      const signedOut = await visit(null, path);
      expect(signedOut.status).toBe(307);
      expect(signedOut.headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(`/${pathOf(path, ours)}`)}`);
      for (const { who, cause } of ended) {
        const before = await countRejected(who);
        expect((await visit(who, path)).status).toBe(307);
        // The first rejection is stored immediately; the server only counts repeated ones for a while.
        expect(await countRejected(who), cause).toBe(Math.max(before, 1));
      }
      for (const other of [stranger, otherPracticeAdmin]) expect((await visit(other, path)).status).toBe(404);
      for (const lower of rolesBelow(role)) expect((await visit(staff[lower], path)).status, lower).toBe(403);
      if (namesRecord(path))
        expect((await visit(staff.admin, path, { ...theirs, practice: ours.practice as number })).status).toBe(404);
      for (const own of STAFF_ROLES.filter((other) => includesRole(other, role)))
        expect([200, 307], own).toContain((await visit(staff[own], path)).status);
    },
  );

  test("returns 404 for a practice that can't exist", async () => {
    for (const practice of ["999999999", "0", "-1", "abc", "1e3", "9".repeat(30)])
      expect((await visit(staff.admin, "practices/[practice]/patients", { practice })).status, practice).toBe(404);
  });
});

/** Counts the rejected uses of a user's session that the server stored for a page. */
async function countRejected({ userId }: SignedIn): Promise<number> {
  const row = await db.first<{ n: number }>(sql`
    SELECT count(*) AS n FROM audit_log WHERE practice_id = ${basics.enabled} AND operation = 'session.rejected'
      AND path LIKE '/practices/%' AND (detail->'about'->>'id')::bigint = ${userId}`);
  return row?.n ?? 0;
}
