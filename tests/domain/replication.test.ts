// The rules of replication: waiting, retries, failures, order, and what staff can do about a failed event.

import { beforeAll, beforeEach, expect, test } from "vitest";
import { mintAccess, systemOrigin } from "@/lib/access/identity/access";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { findDuePatients } from "@/lib/insurance/replication/outbox";
import { retryEvent } from "@/lib/insurance/replication/staff-commands";
import { getPracticeReplication, getReplicationBacklog } from "@/lib/insurance/replication/staff-queries";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { owner } from "@/tests/support/owner";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { activeByRank, expectStoresAgree } from "../support/stores";

let basics: Basics;
let patient: number;
let token: string;

beforeAll(async () => {
  basics = await seedBasics();
  token = basics.token;
  // A record that the legacy store rejects, to simulate a fault there.
  await owner.run(sql`CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN IF NEW.member_id = 'POISON' THEN RAISE EXCEPTION 'the legacy side is broken'; END IF; RETURN NEW; END $$`);
  await owner.run(
    sql`CREATE TRIGGER poison BEFORE INSERT OR UPDATE ON patient_insurance FOR EACH ROW EXECUTE FUNCTION refuse_poison()`,
  );
});
beforeEach(async () => {
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
});

const create = (member_id: string, rank: number) =>
  call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank, member_id } });
const events = () =>
  db.rows<{ id: number; status: string; attempts: number; last_error: string | null }>(
    sql`SELECT id, status, attempts, last_error FROM replication_event WHERE patient_id = ${patient} ORDER BY id`,
  );

/** Retries an event at each due time until it fails permanently. */
async function exhaust(): Promise<void> {
  try {
    for (let hours = 1; hours < 12; hours++) {
      setClock({ now: () => new Date(Date.now() + hours * 3_600_000) });
      await deliverPatient(patient);
    }
  } finally {
    setClock();
  }
}

const ACTOR = { type: "staff" as const, id: 1, name: "Front desk" };
const staff = (practice = basics.enabled) => ({
  access: mintAccess({ practices: [practice], actor: ACTOR }),
  origin: { ...systemOrigin({ name: "test", source: "staff", operation: "test", reason: "Mended" }), actor: ACTOR },
});

test("a write returns after the other store has applied it, so that a client reads its own write there", async () => {
  const created = await create("A1", 1);
  expect(created.headers.get("sync-status")).toBeNull();
  expect((await events()).map(({ status }) => status)).toEqual(["acknowledged"]);
  const legacy = await call("GET", `patients/${patient}`, { token });
  expect(legacy.body.insurances).toMatchObject([{ member_id: "A1" }]);
});

test("if an event fails, the write stays, the response says pending, later events wait behind it, and it fails permanently", async () => {
  const created = await create("POISON", 1);
  expect([created.status, created.headers.get("sync-status")]).toEqual([201, "pending"]);
  const next = await create("A2", 2);
  expect([next.status, next.headers.get("sync-status")]).toEqual([201, "pending"]);
  expect((await events()).map(({ status, attempts }) => [status, attempts])).toEqual([
    ["pending", 1],
    ["pending", 0],
  ]);
  await exhaust();
  const [parked, waiting] = await events();
  expect(parked).toMatchObject({ status: "failed", attempts: 8, last_error: "the legacy side is broken" });
  expect(waiting).toMatchObject({ status: "pending", attempts: 0 });
  expect(await getPracticeReplication(staff().access)).toMatchObject({ failed: 1, pending: 1 });
  // An event that waits for staff is not late.
  expect(await getReplicationBacklog()).toEqual({ failed: 1, pending: 1, oldest_pending: null });
});

test("behind a failed event, a write in the other store is rejected and one in the same store is queued", async () => {
  await create("POISON", 1);
  await exhaust();
  const legacy = await call("PATCH", `patients/${patient}`, { token, body: { insurances: [{ rank: "primary" }] } });
  expect([legacy.status, legacy.body.code]).toEqual([409, "stream_blocked"]);
  expect(legacy.headers.get("retry-after")).toBe("5");
  expect((await create("A2", 2)).status).toBe(201);
});

test("after the cause is fixed, a retry by staff applies the failed event and everything behind it", async () => {
  const created = await create("POISON", 1);
  await create("A2", 2);
  await exhaust();
  const [parked] = await events();
  await expect(retryEvent(staff(basics.foreign), parked?.id ?? 0)).rejects.toThrow("No such event");
  await owner.run(sql`ALTER TABLE patient_insurance DISABLE TRIGGER poison`);
  try {
    expect(await retryEvent(staff(), parked?.id ?? 0)).toEqual({ status: "acknowledged", last_error: null });
    await deliverPatient(patient);
  } finally {
    await owner.run(sql`ALTER TABLE patient_insurance ENABLE TRIGGER poison`);
  }
  expect((await events()).map(({ status }) => status)).toEqual(["acknowledged", "acknowledged"]);
  expect(await activeByRank(patient)).toEqual({ "1": "POISON", "2": "A2" });
  expect(created.body.id).toBeGreaterThan(0);
  await expectStoresAgree(patient);
});

test("the consumer skips events behind a failed one and continues with other patients", async () => {
  await create("POISON", 1);
  await create("A2", 2);
  await exhaust();
  expect(await findDuePatients(100)).not.toContain(patient);
  const blocked = patient;
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  await create("POISON", 1);
  try {
    setClock({ now: () => new Date(Date.now() + 60_000) });
    expect(await findDuePatients(100)).toContain(patient);
    expect(await findDuePatients(100)).not.toContain(blocked);
  } finally {
    setClock();
  }
});

test("a dry run behind a failed event reports its own effects, and that the other store will wait", async () => {
  const poisoned = await create("POISON", 1);
  const body = { rank: 2, member_id: "A2" };
  const dry = await call("POST", `patients/${patient}/policies?dry_run=true`, { token, body: { ...MARIA, ...body } });
  expect([dry.status, dry.headers.get("sync-status")]).toEqual([200, "pending"]);
  expect(dry.body.effects).toMatchObject([{ kind: "created", rank: 2 }]);
  expect(dry.body.effects).toHaveLength(1);
  expect(poisoned.status).toBe(201);
});

test("a change applied by replication is not replicated back", async () => {
  await create("A1", 1);
  await call("PATCH", `patients/${patient}`, { token, body: { insurances: [{ rank: "primary", member_id: "B1" }] } });
  expect(await events()).toHaveLength(2);
});
