// Replication for the practice's staff: what they see, retry and discard, by role and practice.
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { db, sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { expectStoresAgree } from "../support/stores";

let basics: Basics;
let patient: number;
let viewer: SignedIn;
let staff: SignedIn;
let admin: SignedIn;
let foreigner: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  viewer = await signInAs("viewer", [basics.enabled]);
  staff = await signInAs("staff", [basics.enabled]);
  admin = await signInAs("admin", [basics.enabled]);
  foreigner = await signInAs("admin", [basics.foreign]);
  await owner.run(sql`CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.member_id = 'POISON' THEN RAISE EXCEPTION 'the legacy side is broken'; END IF; RETURN NEW; END $$`);
  await owner.run(
    sql`CREATE TRIGGER poison BEFORE INSERT OR UPDATE ON patient_insurance FOR EACH ROW EXECUTE FUNCTION refuse_poison()`,
  );
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});
afterEach(() => owner.run(sql`ALTER TABLE patient_insurance ENABLE TRIGGER poison`));

const at = (path: string) => `practices/${basics.enabled}/${path}`;
const mend = () => owner.run(sql`ALTER TABLE patient_insurance DISABLE TRIGGER poison`);
const create = (member_id: string, rank: number) =>
  call("POST", `patients/${patient}/policies`, { token: basics.token, body: { ...MARIA, rank, member_id } });
const events = () =>
  db.rows<{ id: number; status: string }>(
    sql`SELECT id, status FROM replication_event WHERE patient_id = ${patient} ORDER BY id`,
  );

/** Creates a failed event with another one that waits behind it; returns their IDs. */
async function createFailedEvents(): Promise<[number, number]> {
  await create("POISON", 1);
  await create("A2", 2);
  const [first, second] = await events();
  await db.run(sql`UPDATE replication_event SET status = 'failed', attempts = 8 WHERE id = ${first?.id}`);
  return [first?.id as number, second?.id as number];
}

test("the list shows the state of replication, and is filtered by status, direction, patient and time", async () => {
  const [first, second] = await createFailedEvents();
  const read = async (query: string) => (await staffCallAs(admin, "GET", at(`stream?${query}`))).body;
  const { health, results, count } = await read(`patient=${patient}`);
  expect(health.failed).toBeGreaterThanOrEqual(1);
  expect(health.pending).toBeGreaterThanOrEqual(1);
  expect(health.oldest_pending).toEqual(expect.any(String));
  expect(count).toBe(2);
  expect(results).toMatchObject([
    { id: second, status: "pending", blocked: true, last_error: null },
    { id: first, status: "failed", blocked: false, last_error: "the legacy side is broken", next_attempt_date: null },
  ]);
  expect((await read(`patient=${patient}&status=failed`)).count).toBe(1);
  expect((await read(`patient=${patient}&status=open`)).count).toBe(2);
  expect((await read(`patient=${patient}&direction=patients_to_policies`)).count).toBe(0);
  expect((await read(`patient=${patient}&from=2099-01-01T00:00:00Z`)).count).toBe(0);
  const refreshed = await staffCallAs(
    admin,
    "GET",
    at(`stream/refresh?patient=${patient}&after=${first}&ids=${first}`),
  );
  expect(refreshed.body).toMatchObject({ newer: 1, results: [{ id: first }], health: { failed: health.failed } });
});

test("an event shows what was written, and the read is audited", async () => {
  const [first] = await createFailedEvents();
  const { body } = await staffCallAs(admin, "GET", at(`stream/${first}`));
  expect(body).toMatchObject({ patient_id: patient, behind: 1, origin: { actor: { name: "Test client" } } });
  expect(body.changes).toMatchObject([{ kind: "create", policy: { member_id: "POISON" } }]);
  const [entry] = await db.rows(sql`SELECT patients::int[] AS patients FROM audit_log
    WHERE operation = 'staff.stream.get' ORDER BY id DESC LIMIT 1`);
  expect(entry).toEqual({ patients: [patient] });
});

test("a retry reports its result: failed again with the reason, or applied with the events behind it", async () => {
  const [first, second] = await createFailedEvents();
  const retry = (id: number) => staffCallAs(admin, "POST", at(`stream/${id}/retry`));
  expect((await retry(first)).body).toEqual({ status: "pending", last_error: "the legacy side is broken" });
  const blocked = await retry(second);
  expect([blocked.status, blocked.body.code]).toEqual([409, "event_blocked"]);
  await mend();
  expect((await retry(first)).body).toEqual({ status: "acknowledged", last_error: null });
  await deliverPatient(patient);
  await expectStoresAgree(patient);
  expect((await retry(first)).body.code).toBe("event_settled");
});

test("events to retry are found by a filter, oldest first, with the events behind them", async () => {
  const [first] = await createFailedEvents();
  const find = async (who: SignedIn, query: string) => {
    const { status, body } = await staffCallAs(who, "GET", at(`stream/retriable?${query}`));
    return status === 200 ? body : status;
  };
  expect(await find(admin, `patient=${patient}`)).toEqual({ count: 1, ids: [first] });
  expect(await find(admin, `patient=${patient}&status=failed`)).toEqual({ count: 1, ids: [first] });
  expect(await find(admin, `patient=${patient}&status=acknowledged`)).toEqual({ count: 0, ids: [] });
  expect(await find(admin, `patient=${patient}&direction=patients_to_policies`)).toEqual({ count: 0, ids: [] });
  expect([await find(viewer, ""), await find(foreigner, "")]).toEqual([403, 404]);
});

test("a discard requires a reason; it is rejected if the stores would differ, and otherwise makes them agree", async () => {
  const [first] = await createFailedEvents();
  const discard = (headers = {}) => staffCallAs(admin, "POST", at(`stream/${first}/discard`), { headers });
  expect(await discard()).toMatchObject({ status: 400, body: { reason: expect.any(Array) } });
  const reason = { "x-change-reason": "Entered twice" };
  expect(await discard(reason)).toMatchObject({ status: 409, body: { code: "discard_refused" } });
  expect((await events()).map(({ status }) => status)).toEqual(["failed", "pending"]);
  const policy = (await call("GET", `patients/${patient}/policies?rank=1`, { token: basics.token })).body.results[0];
  const body = { member_id: "A1" };
  await call("PATCH", `patients/${patient}/policies/${policy.id}`, { token: basics.token, body });
  expect(await discard(reason)).toMatchObject({ status: 200, body: { applied: 2, given_up: 0 } });
  await expectStoresAgree(patient);
  const { insurances } = (await call("GET", `patients/${patient}`, { token: basics.token })).body;
  expect(insurances.map(({ member_id }: { member_id: string }) => member_id)).toEqual(["A1", "A2"]);
});

test("only admins read, retry and discard, and another practice's staff find nothing", async () => {
  const [first] = await createFailedEvents();
  const reason = { "x-change-reason": "No" };
  const own = (who: SignedIn, act: string) =>
    staffCallAs(who, "POST", at(`stream/${first}/${act}`), { headers: reason });
  for (const who of [viewer, staff]) {
    for (const path of ["stream", `stream/${first}`])
      expect((await staffCallAs(who, "GET", at(path))).status).toBe(403);
    for (const act of ["retry", "discard"]) expect((await own(who, act)).status).toBe(403);
  }
  expect((await staffCallAs(null, "GET", at("stream"))).status).toBe(401);
  const their = (path: string) => `practices/${basics.foreign}/stream${path}`;
  expect((await staffCallAs(foreigner, "GET", their(""))).body).toMatchObject({
    count: 0,
    health: { pending: 0, failed: 0 },
  });
  expect((await staffCallAs(foreigner, "GET", their(`/${first}`))).status).toBe(404);
  expect((await staffCallAs(foreigner, "POST", their(`/${first}/retry`))).status).toBe(404);
  expect((await staffCallAs(foreigner, "POST", their(`/${first}/discard`), { headers: reason })).status).toBe(404);
  expect((await events()).map(({ status }) => status)).toEqual(["failed", "pending"]);
});
