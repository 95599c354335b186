// Home: what needs attention in the user's practices, with correct counts.
import { afterEach, beforeAll, expect, test } from "vitest";
import { listPracticeHomes, type PracticeDetail, type PracticeHome } from "@/lib/api/home/queries";
import { clock, setClock } from "@/lib/platform/clock";
import { db, json, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics, seedPatient } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";

let basics: Basics;
let admin: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled, basics.disabled]);
});

afterEach(() => setClock());

async function homeOf(practice: number): Promise<PracticeDetail> {
  const { status, body } = await staffCallAs(admin, "GET", `practices/${practice}/home`);
  expect(status).toBe(200);
  return body;
}

const dayBefore = (days: number) => new Date(clock.now().getTime() - days * 86_400_000).toISOString().slice(0, 10);

async function addStreamEvent(patient: number, practice: number, status: string): Promise<void> {
  await db.run(sql`
    INSERT INTO replication_event (patient_id, practice_id, direction, kind, changes, origin, status, next_attempt_date, created_date)
    VALUES (${patient}, ${practice}, 'policies_to_patients', 'update', ${json([])}, ${json({})}, ${status},
      now() + interval '1 day', '2026-11-01T10:00:00Z')`);
}

async function addLegacyUse(practice: number, day: string, use: { reads?: number; writes?: number }): Promise<number> {
  const client = await db.first<{ id: number }>(sql`SELECT min(id) AS id FROM oauth_client`);
  await db.run(sql`
    INSERT INTO legacy_usage (practice_id, client_id, endpoint, day, reads, writes)
    VALUES (${practice}, ${client?.id}, 'patients.update', ${day}::date, ${use.reads ?? 0}, ${use.writes ?? 0})`);
  return client?.id as number;
}

test("a practice without data needs no attention and has no patients", async () => {
  const { practice, subscriptions, clients, days } = await homeOf(basics.disabled);
  expect(practice).toMatchObject({
    patients: 0,
    undelivered_events: 0,
    rejected_events: 0,
    paused_subscriptions: 0,
    failing_subscriptions: 0,
    versioning: false,
    stream: { pending: 0, failed: 0, unsettled: 0, oldest: null },
    legacy: { reads: 0, writes: 0, clients: 0 },
  });
  expect([subscriptions, clients]).toEqual([[], []]);
  expect(days).toHaveLength(30);
  expect([days[0]?.day, days[29]?.day]).toEqual([dayBefore(29), dayBefore(0)]);
});

test("patients whose stores differ are counted once, with waiting and failed changes", async () => {
  const practice = basics.enabled;
  const patients = [];
  for (let at = 0; at < 3; at++) patients.push(await seedPatient(practice, basics.physicians.enabled));
  await addStreamEvent(patients[0] as number, practice, "failed");
  await addStreamEvent(patients[0] as number, practice, "pending");
  await addStreamEvent(patients[1] as number, practice, "pending");
  await addStreamEvent(patients[2] as number, practice, "acknowledged");
  const home = (await homeOf(practice)).practice;
  expect(home.patients).toBe(3);
  expect(home.stream).toEqual({ pending: 2, failed: 1, unsettled: 2, oldest: "2026-11-01T10:00:00.000Z" });
});

test("legacy use counts seven days in total and by client, and shows thirty", async () => {
  const practice = basics.enabled;
  const client = await addLegacyUse(practice, dayBefore(0), { reads: 5, writes: 2 });
  await addLegacyUse(practice, dayBefore(6), { writes: 3 });
  await addLegacyUse(practice, dayBefore(7), { writes: 100 });
  await addLegacyUse(practice, dayBefore(30), { writes: 1_000 });
  const { practice: home, days, clients } = await homeOf(practice);
  expect(home.legacy).toEqual({ reads: 5, writes: 5, clients: 1 });
  expect(clients).toEqual([{ client_id: client, name: "Test client", reads: 5, writes: 5, last_day: dayBefore(0) }]);
  expect(days.filter(({ writes }) => writes > 0)).toEqual([
    { day: dayBefore(7), reads: 0, writes: 100 },
    { day: dayBefore(6), reads: 0, writes: 3 },
    { day: dayBefore(0), reads: 5, writes: 2 },
  ]);
});

test("the countdown follows the practice's clock, which a rehearsal moves", async () => {
  const practice = basics.enabled;
  await db.run(sql`UPDATE practice SET deprecation_date = ${dayBefore(-12)}::date WHERE id = ${practice}`);
  expect((await homeOf(practice)).practice.deadline).toMatchObject({ days: 12, rehearsal: null, has_ended: false });
  await db.run(sql`
    UPDATE practice SET deprecation_mode = 'enforce', rehearsal_time = ${`${dayBefore(-15)}T10:00:00Z`}::timestamptz
    WHERE id = ${practice}`);
  const { deadline } = (await homeOf(practice)).practice;
  expect(deadline).toMatchObject({ days: -3, rehearsal: dayBefore(-15), today: dayBefore(0), has_ended: true });
});

test("failed events and unhealthy subscriptions are those of the practice", async () => {
  const { token, enabled, disabled } = basics;
  const hook = { resource: "patients", target: "https://hooks.example.org/home" };
  const { id } = (await call("POST", "subscriptions", { token, body: hook })).body;
  await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${id}`);
  const addEvent = (practice: number, delivery: string, report: string | null) =>
    db.run(sql`
      INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id,
        target, delivery, failed_date, error_content, reported_date, next_attempt_date, give_up_date, created_date, modified_date)
      SELECT gen_random_uuid(), id, client_id, ${practice}, 'saved', resource, 1, target, ${delivery},
        CASE WHEN ${delivery} = 'failed' THEN now() END, ${report}::text,
        CASE WHEN ${report}::text IS NOT NULL THEN now() END, now(), now(), now(), now() FROM subscription WHERE id = ${id}`);
  await addEvent(enabled, "failed", null);
  await addEvent(enabled, "delivered", "Refused by billing.");
  await addEvent(enabled, "delivered", null);
  await addEvent(enabled, "pending", null);
  await addEvent(disabled, "pending", null);
  const { practice, subscriptions } = await homeOf(enabled);
  const { undelivered_events, rejected_events, paused_subscriptions, failing_subscriptions } = practice;
  expect([undelivered_events, rejected_events, paused_subscriptions, failing_subscriptions]).toEqual([1, 1, 1, 0]);
  expect(subscriptions).toEqual([expect.objectContaining({ id, client_name: "Test client", open: 1, ...hook })]);
  expect((await homeOf(disabled)).practice).toMatchObject({ undelivered_events: 0, paused_subscriptions: 1 });
});

test("Home, Subscriptions and the list of events have the same counts, and undelivered events can be retried", async () => {
  const { token, enabled } = basics;
  const read = async (path: string) => (await staffCallAs(admin, "GET", `practices/${enabled}/${path}`)).body;
  const hook = { resource: "patients", target: "https://hooks.example.org/counted" };
  const created: number[] = [];
  // One has a target that starts like the other's, and one has ended.
  for (const target of [hook.target, `${hook.target}/again`, "https://hooks.example.org/ended"])
    created.push((await call("POST", "subscriptions", { token, body: { ...hook, target } })).body.id);
  for (const [at, deliveries] of [
    ["failed", "failed", "pending", "sending"],
    ["failed", "pending"],
    ["failed"],
  ].entries())
    for (const delivery of deliveries)
      await db.run(sql`
        INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id,
          target, delivery, failed_date, lease_until, attempts, next_attempt_date, give_up_date, created_date, modified_date)
        SELECT gen_random_uuid(), id, client_id, ${enabled}, 'saved', resource, 1, target, ${delivery},
          CASE WHEN ${delivery} = 'failed' THEN now() END, CASE WHEN ${delivery} = 'sending' THEN now() END, 1, now(), now(),
          now(), now() FROM subscription WHERE id = ${created[at]}`);
  await db.run(sql`UPDATE subscription SET deleted_date = now() WHERE id = ${created[2]}`);

  const { practice } = await homeOf(enabled);
  const { results }: { results: { id: number; failed: number; open: number }[] } = await read("subscriptions");
  expect(results.reduce((sum, { failed }) => sum + failed, 0)).toBe(practice.undelivered_events);
  expect((await read("events?status=undelivered")).count).toBe(practice.undelivered_events);
  expect((await read("events?status=rejected")).count).toBe(practice.rejected_events);
  const retriable = await staffCallAs(admin, "GET", `practices/${enabled}/events/retriable?status=undelivered`);
  expect(retriable.body.count).toBe(practice.undelivered_events);
  for (const { id, failed, open } of results) {
    expect((await read(`events?subscription=${id}&status=undelivered`)).count, `subscription ${id}`).toBe(failed);
    expect((await read(`events?subscription=${id}&status=waiting`)).count, `subscription ${id}`).toBe(open);
  }
  const counts = results.filter(({ id }) => created.includes(id)).map(({ failed, open }) => [failed, open]);
  expect(counts.sort()).toEqual([
    [1, 1],
    [2, 2],
  ]);
});

test("the list contains only the user's practices, by name", async () => {
  const { status, body } = await staffCallAs(admin, "GET", "home");
  expect(status).toBe(200);
  const names = body.practices.map(({ name }: PracticeHome) => name);
  expect(names).toEqual(["Northside Family Medicine", "Northside Pediatrics"]);
  const lonely = await signInAs("admin", [basics.foreign]);
  const theirs = await staffCallAs(lonely, "GET", "home");
  expect(theirs.body.practices.map(({ id }: PracticeHome) => id)).toEqual([basics.foreign]);
});

test("another practice's Home returns 404, and a signed-out user gets 401", async () => {
  expect((await staffCallAs(admin, "GET", `practices/${basics.foreign}/home`)).status).toBe(404);
  expect((await staffCallAs(null, "GET", `practices/${basics.enabled}/home`)).status).toBe(401);
  expect((await staffCallAs(null, "GET", "home")).status).toBe(401);
});

test("a user without practices has an empty list", async () => {
  const { mintAccess } = await import("@/lib/access/identity/access");
  const nobody = mintAccess({ practices: [], actor: { type: "staff", id: 1, name: "Nobody" } });
  expect(await listPracticeHomes(nobody)).toEqual([]);
});
