// The audit log as the admins of a practice read it.
import { beforeAll, describe, expect, test } from "vitest";
import { countAuditEntries, listAuditActors } from "@/lib/access/audit/staff-queries";
import { findStaffAccess, type StaffAccess } from "@/lib/access/staff/access";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient, tokenFor } from "@/tests/support/api";
import { sealAll } from "@/tests/support/audit";
import { owner } from "@/tests/support/owner";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

let basics: Basics;
let admin: SignedIn;
let patients: number[];

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled]);
  patients = await Promise.all(
    ["Maria Lopez", "Juan Perez"].map((name) => seedPatient(basics.enabled, basics.physicians.enabled, name)),
  );
  const token = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
  const [maria, juan] = patients;
  for (let at = 0; at < 55; at++) await call("GET", `patients/${maria}`, { token });
  await call("PATCH", `patients/${juan}`, { token, body: { sex: "Male" }, headers: { "x-change-reason": '=1+1 "x"' } });
  await staffCallAs(admin, "GET", `practices/${basics.enabled}/patients?search=Lopez`);
});

interface Entry {
  id: number;
  seq: number | null;
  key: string;
  kind: string;
  operation: string;
  actor_type: string;
  patients: number[];
}
const path = (rest = "") => `practices/${basics.enabled}/audit${rest}`;
const list = async (query = "") => (await staffCallAs(admin, "GET", path(query))).body;
const ids = (page: { results: Entry[] }) => page.results.map(({ id }) => id);

const accessOf = async () => (await findStaffAccess(admin.cookie, "person")) as StaffAccess;

/** The IDs of all entries of the practice before the test, newest first. */
const ownIds = async () => {
  const rows = await db.rows<{ id: number }>(
    sql`SELECT id FROM audit_log WHERE practice_id = ${basics.enabled} AND operation NOT LIKE 'staff.audit.%' ORDER BY id DESC`,
  );
  return rows.map(({ id }) => id);
};

describe("the audit log", () => {
  test("is paged by keyset, forward and back, newest first", async () => {
    const first = await list();
    expect(first).toMatchObject({ has_newer: false, has_older: true });
    const own = await ownIds();
    expect(ids(first)).toEqual(own.slice(0, 50));
    const second = await list(`?after=${encodeURIComponent(first.results.at(-1).key)}`);
    expect(ids(second)).toEqual(own.slice(50));
    expect(own).toHaveLength(57);
    expect(second).toMatchObject({ has_newer: true, has_older: false });
    const back = await list(`?before=${encodeURIComponent(second.results[0].key)}`);
    expect(ids(back)).toEqual(ids(first));
    expect(back.has_newer).toBe(true);
  });

  test("shows entries at once, and in the same order and pages after they were sealed", async () => {
    const pending = (await list()).results as Entry[];
    expect(pending.every(({ seq }) => seq === null)).toBe(true);
    const actors = await listAuditActors(await accessOf(), basics.enabled);
    expect(actors).toContainEqual({ actor_type: "staff", actor_id: admin.userId, name: expect.any(String) });
    await sealAll(40);
    const counted = await countAuditEntries(await accessOf(), basics.enabled);
    const sealed = (await list()).results as Entry[];
    // Reading the log added an entry.
    expect(sealed.slice(1)).toEqual(pending.slice(0, 49).map((entry, at) => ({ ...entry, seq: counted - 1 - at })));
    expect(sealed[0]).toMatchObject({ operation: "staff.audit.list", seq: counted });
    expect(await listAuditActors(await accessOf(), basics.enabled)).toEqual(actors);
  });

  test("is filtered by actor, patient, kind and time", async () => {
    const staff = await list(`?actor=staff-${admin.userId}`);
    expect(staff.results.at(-1)).toMatchObject({ operation: "staff.patients.search", patients: [patients[0]] });
    const changes = ids(await list("?kind=change"));
    expect(changes).toHaveLength(1);
    expect(ids(await list(`?patient=${patients[1]}`))).toEqual(changes);
    expect(ids(await list(`?kind=change&patient=${patients[0]}`))).toEqual([]);
    expect(ids(await list("?until=2020-01-01"))).toEqual([]);
    expect(ids(await list("?since=2020-01-01&until=2999-01-01"))).toHaveLength(50);
    for (const wrong of ["actor=everyone", "patient=x", "kind=other", "since=soon", "after=1"])
      expect((await staffCallAs(admin, "GET", path(`?${wrong}`))).status).toBe(400);
  });

  test("records who read it and what they searched for, like any other read", async () => {
    const seen = async () => (await list(`?actor=staff-${admin.userId}`)).results as (Entry & { path: string })[];
    const looks = async () => (await seen()).filter(({ kind }) => kind === "read");
    const known = new Set((await looks()).map(({ id }) => id));
    await list(`?kind=change&patient=${patients[1]}&since=`);
    await staffCallAs(admin, "GET", path("/export?until=2020-01-01"));
    // A patient of another practice can be searched for, but is not found.
    const theirs = await seedPatient(basics.foreign, basics.physicians.foreign);
    await list(`?patient=${theirs}`);
    await staffCallAs(admin, "GET", path("?kind=other"));
    const base = `/api/staff/${path()}`;
    expect((await looks()).filter(({ id }) => !known.has(id)).reverse()).toMatchObject([
      { operation: "staff.audit.list", kind: "read", path: `${base}?actor=staff-${admin.userId}`, patients: [] },
      { operation: "staff.audit.list", path: `${base}?patient=${patients[1]}&kind=change`, patients: [patients[1]] },
      { operation: "staff.audit.export", path: `${base}/export?until=2020-01-01`, patients: [] },
      { operation: "staff.audit.list", path: `${base}?patient=${theirs}`, patients: [] },
    ]);
    expect(await db.rows(sql`SELECT id FROM audit_log WHERE practice_id = ${basics.foreign}`)).toEqual([]);
    expect((await staffCallAs(admin, "GET", path("/chain"))).body.broken).toEqual([]);
  });

  test("lists security events separately, and hides them from another practice's admin", async () => {
    const events = (await list("?kind=security")).results as Entry[];
    expect(events.length).toBeGreaterThan(0);
    expect(events.every(({ kind }) => kind === "security")).toBe(true);
    expect((await list("")).results.some(({ kind }: Entry) => kind === "security")).toBe(true);
    const other = await signInAs("admin", [basics.foreign]);
    const theirs = await staffCallAs(other, "GET", `practices/${basics.foreign}/audit?kind=security`);
    expect(theirs.body.results).toEqual([]);
  });

  test("is exported as CSV with its filters and without formulas", async () => {
    const { body, headers } = await staffCallAs(admin, "GET", path("/export?kind=change"));
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const lines = new TextDecoder().decode(body).trim().split("\r\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^\d*,\d+,\d{4}-.*,client,\d+,Test client,change,patients\.update,/);
    expect(lines[1]).toContain(`"'=1+1 ""x"""`);
  });

  test("shows only this practice", async () => {
    const { foreign, physicians, stranger } = basics;
    const theirs = await seedPatient(foreign, physicians.foreign);
    await call("GET", `patients/${theirs}`, { token: stranger });
    expect(ids(await list(`?patient=${theirs}`))).toEqual([]);
    expect((await staffCallAs(admin, "GET", `practices/${foreign}/audit`)).status).toBe(404);
  });

  test("reports whether its chain is intact, and where it breaks", async () => {
    const { foreign } = basics;
    await sealAll();
    const length = await countAuditEntries(await accessOf(), basics.enabled);
    await list();
    const whole = (await staffCallAs(admin, "GET", path("/chain"))).body;
    expect(whole).toMatchObject({
      entries: length,
      broken: [],
      heads: [{ practice: basics.enabled, seq: length }],
      unsealed: [{ practice: basics.enabled, entries: 1 }],
    });
    expect(whole.heads[0].hash).toMatch(/^[0-9a-f]{64}$/);
    const other = await signInAs("admin", [foreign]);
    expect((await staffCallAs(other, "GET", `practices/${foreign}/audit/chain`)).body.heads).toHaveLength(1);
    await owner.run(sql`ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_append_only`);
    await owner.run(
      sql`UPDATE audit_entry SET actor_name = 'Nobody' WHERE practice_id = ${basics.enabled} AND seq = 20`,
    );
    await owner.run(sql`ALTER TABLE audit_entry ENABLE TRIGGER audit_entry_append_only`);
    const broken = (await staffCallAs(admin, "GET", path("/chain"))).body;
    expect(broken).toMatchObject({ entries: 19, heads: [], broken: [{ seq: 20 }] });
  });
});
