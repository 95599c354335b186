// Staff calls on policies: the same commands as the API's, subject to roles, practices and versions.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let admin: SignedIn;
let staff: SignedIn;
let viewer: SignedIn;
let stranger: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled]);
  staff = await signInAs("staff", [basics.enabled]);
  viewer = await signInAs("viewer", [basics.enabled]);
  stranger = await signInAs("admin", [basics.foreign]);
});

const ifMatch = (version: number) => ({ "if-match": `"${version}"` });

/** Creates a patient with a primary policy; returns the path to both. */
async function seedPolicy() {
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const list = `practices/${basics.enabled}/patients/${patient}/policies`;
  const body = { ...MARIA, rank: 1, carrier: "Acme Health", member_id: "M1" };
  const added = await staffCallAs(staff, "POST", list, { body });
  expect(added.status).toBe(201);
  return { patient, list, id: added.body.policy.id as number, path: `${list}/${added.body.policy.id}` };
}

async function versionsOf(patient: number): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`SELECT count(*)::int AS count FROM policy_version WHERE patient_id = ${patient}`,
  );
  return row?.count ?? 0;
}

describe("permissions:", () => {
  test("viewers read and write nothing", async () => {
    const { path, list } = await seedPolicy();
    const seen = await staffCallAs(viewer, "GET", path);
    expect(seen.status).toBe(200);
    expect(seen.body).toMatchObject({
      versioning: true,
      patient: { first_name: "Maria" },
      policy: { member_id: "M1" },
    });
    expect((await staffCallAs(viewer, "GET", list)).body.policies).toHaveLength(1);
    const writes = await Promise.all([
      staffCallAs(viewer, "POST", list, { body: MARIA }),
      staffCallAs(viewer, "PUT", path, { body: { ...MARIA, member_id: "M2" } }),
      staffCallAs(viewer, "DELETE", path),
      staffCallAs(viewer, "POST", `${path}/restore`, { body: {} }),
      staffCallAs(viewer, "DELETE", `${path}/permanently`),
      staffCallAs(viewer, "GET", `practices/${basics.enabled}/insurers`),
    ]);
    expect(writes.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
  });

  test("only admins delete permanently, and only archived policies", async () => {
    const { path, patient } = await seedPolicy();
    expect((await staffCallAs(admin, "DELETE", `${path}/permanently`)).body.code).toBe("policy_active");
    await staffCallAs(staff, "DELETE", path);
    expect((await staffCallAs(staff, "DELETE", `${path}/permanently`)).status).toBe(403);
    const gone = await staffCallAs(admin, "DELETE", `${path}/permanently`, { headers: ifMatch(2) });
    expect(gone.status).toBe(200);
    expect(gone.body.policy).toBeNull();
    expect((await staffCallAs(admin, "GET", path)).status).toBe(410);
    expect(await versionsOf(patient)).toBe(0);
  });

  test("another practice's policies look absent, below their own path and below ours", async () => {
    const { path, patient, id } = await seedPolicy();
    const ours = `practices/${basics.foreign}/patients/${patient}/policies/${id}`;
    const tries = await Promise.all(
      [path, ours].flatMap((target) => [
        staffCallAs(stranger, "GET", target),
        staffCallAs(stranger, "PUT", target, { body: { ...MARIA, member_id: "X" } }),
        staffCallAs(stranger, "DELETE", target),
        staffCallAs(stranger, "POST", `${target}/restore`, { body: {} }),
        staffCallAs(stranger, "DELETE", `${target}/permanently`),
      ]),
    );
    expect(new Set(tries.map(({ status }) => status))).toEqual(new Set([404]));
    expect((await staffCallAs(null, "GET", path)).status).toBe(401);
  });
});

describe("a write", () => {
  test("is visible in the API, and its history has actor, source and reason", async () => {
    const { path, patient, id } = await seedPolicy();
    const body = { ...MARIA, copay: "20", end_date: null };
    const headers = { ...ifMatch(1), "x-change-reason": "New card" };
    const saved = await staffCallAs(staff, "PUT", path, { body, headers });
    expect(saved.status).toBe(200);
    expect(saved.body).toMatchObject({ pending: false, policy: { copay: "20.00", version: 2, member_id: "M1" } });
    const read = await call("GET", `patients/${patient}/policies/${id}`, { token: basics.token });
    expect(read.body.copay).toBe("20.00");
    const legacy = await call("GET", `patients/${patient}`, { token: basics.token });
    expect(legacy.body.insurances[0].copay).toBe("20.00");
    const versions = await call("GET", `patients/${patient}/policies/${id}/versions/2`, { token: basics.token });
    expect(versions.body).toMatchObject({ source: "staff", reason: "New card", actor: { type: "staff" } });
  });

  test("is rejected and changes nothing if the version is outdated", async () => {
    const { path } = await seedPolicy();
    await staffCallAs(staff, "PUT", path, { body: { ...MARIA, member_id: "M2" }, headers: ifMatch(1) });
    const late = await Promise.all([
      staffCallAs(admin, "PUT", path, { body: { ...MARIA, member_id: "M3" }, headers: ifMatch(1) }),
      staffCallAs(admin, "DELETE", path, { headers: ifMatch(1) }),
      staffCallAs(admin, "POST", `${path}/restore`, { body: {}, headers: ifMatch(1) }),
      staffCallAs(admin, "DELETE", `${path}/permanently`, { headers: ifMatch(1) }),
    ]);
    expect(late.map(({ status }) => status)).toEqual([412, 412, 412, 412]);
    expect((await staffCallAs(staff, "GET", path)).body.policy).toMatchObject({ version: 2, member_id: "M2" });
  });

  test("is rejected if it names another patient", async () => {
    const { path } = await seedPolicy();
    const wrong = await staffCallAs(staff, "PUT", path, { body: { ...MARIA, patient_first_name: "Ana" } });
    expect([wrong.status, wrong.body.code]).toEqual([422, "patient_mismatch"]);
  });

  test("names each wrong field", async () => {
    const { list } = await seedPolicy();
    const body = { ...MARIA, copay: "a lot", start_date: "2026-02-30", rank: 4 };
    const rejected = await staffCallAs(staff, "POST", list, { body });
    expect(rejected.status).toBe(400);
    expect(Object.keys(rejected.body).sort()).toEqual(["copay", "rank", "start_date"]);
  });

  test("as a dry run writes nothing", async () => {
    const { path, list, patient } = await seedPolicy();
    const before = await versionsOf(patient);
    const tried = await Promise.all([
      staffCallAs(staff, "POST", `${list}?dry_run=true`, { body: { ...MARIA, rank: 1 } }),
      staffCallAs(staff, "PUT", `${path}?dry_run=true`, { body: { ...MARIA, member_id: "M9" } }),
      staffCallAs(staff, "DELETE", `${path}?dry_run=true`),
    ]);
    expect(tried.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(tried[0]?.body.effects.map(({ kind }: { kind: string }) => kind).sort()).toEqual(["archived", "created"]);
    expect(await versionsOf(patient)).toBe(before);
    expect((await staffCallAs(staff, "GET", path)).body.policy).toMatchObject({ version: 1, status: "active" });
  });
});

describe("restoring", () => {
  test("returns the policy to its rank if that is free", async () => {
    const { path } = await seedPolicy();
    await staffCallAs(staff, "DELETE", path);
    const restored = await staffCallAs(staff, "POST", `${path}/restore`, { body: {}, headers: ifMatch(2) });
    expect(restored.body.policy).toMatchObject({ status: "active", rank: 1, version: 3, archive_reason: null });
  });

  test("is rejected if the rank is occupied, but takes a chosen rank from its policy", async () => {
    const { path, list, id } = await seedPolicy();
    const next = await staffCallAs(staff, "POST", list, { body: { ...MARIA, rank: 1, carrier: "Harbor" } });
    const rejected = await staffCallAs(staff, "POST", `${path}/restore?dry_run=true`, { body: {} });
    expect([rejected.status, rejected.body.code]).toEqual([409, "rank_taken"]);
    const second = await staffCallAs(staff, "POST", `${path}/restore?dry_run=true`, { body: { rank: 2 } });
    expect(second.body.effects).toMatchObject([{ kind: "restored", policy: id, rank: 2 }]);
    const first = await staffCallAs(staff, "POST", `${path}/restore`, { body: { rank: 1 } });
    expect(first.body.policy).toMatchObject({ status: "active", rank: 1 });
    const { policies } = (await staffCallAs(staff, "GET", list)).body;
    expect(policies.map((one: { id: number; status: string }) => [one.id, one.status])).toEqual([
      [id, "active"],
      [next.body.policy.id, "archived"],
    ]);
    expect(policies[1].archive_reason).toBe("superseded");
  });

  test("leaves the policy unranked if no rank is given", async () => {
    const { path, list } = await seedPolicy();
    await staffCallAs(staff, "POST", list, { body: { ...MARIA, rank: 1 } });
    const restored = await staffCallAs(staff, "POST", `${path}/restore`, { body: { rank: null } });
    expect(restored.body.policy).toMatchObject({ status: "active", rank: null });
  });
});

describe("the payer search", () => {
  test("finds the practice's own payers by name, best matches first, and treats a percent sign literally", async () => {
    const company = await seedCompany(basics.enabled, "Zenith 100% Health");
    await seedCompany(basics.enabled, "The Zenith Group");
    await seedCompany(basics.foreign, "Zenith Abroad");
    const find = (search: string) =>
      staffCallAs(staff, "GET", `practices/${basics.enabled}/insurers?search=${encodeURIComponent(search)}`);
    const names = (await find("zenith")).body.results.map(({ carrier }: { carrier: string }) => carrier);
    expect(names).toEqual(["Zenith 100% Health", "The Zenith Group"]);
    expect((await find("100%")).body.results).toHaveLength(1);
    expect((await find("0%0")).body.results).toHaveLength(0);
    const plan = await seedPlan(basics.enabled, company, "Zenith Gold");
    const plans = `practices/${basics.enabled}/insurers/${company}/plans?search=gold`;
    expect((await staffCallAs(staff, "GET", plans)).body.results).toEqual([{ id: plan, name: "Zenith Gold" }]);
    const absent = await staffCallAs(stranger, "GET", `practices/${basics.foreign}/insurers/999999999/plans`);
    const foreign = await staffCallAs(stranger, "GET", `practices/${basics.foreign}/insurers/${company}/plans`);
    expect([absent.status, foreign.status]).toEqual([404, 404]);
    expect(foreign.body).toEqual(absent.body);
    // A policy may name a deleted payer, and can still be edited.
    await db.run(sql`UPDATE insurance_company SET deleted_date = now() WHERE id = ${company}`);
    expect((await staffCallAs(staff, "GET", plans)).status).toBe(200);
  });
});
