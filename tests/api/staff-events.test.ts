// Published events for the practice's staff: what they see, mark and retry, by role and practice.
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, seedBasics } from "../support/api";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import {
  type Client,
  createListener,
  newClient,
  type Subscription,
  seedPatients,
  shownEvents,
  subscribe,
} from "../support/webhook-clients";

let basics: Basics;
let client: Client;
let subscription: Subscription;
let patients: number[];
let viewer: SignedIn;
let staff: SignedIn;
let admin: SignedIn;
let foreigner: SignedIn;

const TARGET = "https://hooks.example.org/staff-events";
const at = (path: string) => `practices/${basics.enabled}/${path}`;
const touch = (patient: number) =>
  call("PATCH", `patients/${patient}`, {
    token: basics.token,
    body: { middle_name: `N${Math.floor(Math.random() * 1e9)}` },
  });
const newest = async () => (await staffCallAs(admin, "GET", at("events?limit=1"))).body.results[0];
/** Creates an event in the state that a delivery left it in. */
async function event(state: "failed" | "retrying" | "pending" | "delivered"): Promise<number> {
  await touch(patients[0] as number);
  const { id, event_id } = await newest();
  const later = "2099-01-01T00:00:00Z";
  const set = {
    failed: sql`delivery = 'failed', attempts = 9, failed_date = now(), error_content = 'timed out'`,
    retrying: sql`delivery = 'pending', attempts = 2, next_attempt_date = ${later}`,
    pending: sql`delivery = 'pending'`,
    delivered: sql`delivery = 'delivered', attempts = 1, processed_date = now(), status_code = 204`,
  }[state];
  await db.run(sql`UPDATE published_event SET ${set} WHERE id = ${id}`);
  await db.run(sql`INSERT INTO webhook_attempt (published_event_id, number, started_date, duration_ms, status_code, error)
    VALUES (${id}, 1, now(), 12, 500, 'the target returned 500')`);
  return event_id;
}
const stored = async (eventId: number) =>
  (await db.first(sql`SELECT delivery, attempts, next_attempt_date <= now() AS due, processed_date, status_code, error_content,
    version FROM published_event WHERE event_id = ${eventId}`)) as Record<string, unknown>;

beforeAll(async () => {
  basics = await seedBasics();
  ({ client, subscription } = await createListener(basics, TARGET));
  patients = await seedPatients(basics, 3);
  viewer = await signInAs("viewer", [basics.enabled]);
  staff = await signInAs("staff", [basics.enabled]);
  admin = await signInAs("admin", [basics.enabled]);
  foreigner = await signInAs("admin", [basics.foreign]);
});

describe("the list", () => {
  test("counts up to 10,000 events, and says that there are more", async () => {
    const other = await signInAs("admin", [basics.disabled]);
    const add = (count: number) =>
      db.run(sql`
        INSERT INTO published_event (event_uuid, subscription_id, client_id, practice_id, event_type, resource, resource_id, target,
          delivery, next_attempt_date, give_up_date, created_date, modified_date)
        SELECT gen_random_uuid(), ${subscription.id}, ${client.id}, ${basics.disabled}, 'saved', 'patients', 1, ${TARGET}, 'delivered',
          now(), now(), now(), now() FROM generate_series(1, ${count}::int)`);
    const read = async () => {
      const { body } = await staffCallAs(other, "GET", `practices/${basics.disabled}/events?limit=1`);
      return { count: body.count, has_more: body.has_more, newest: body.newest === body.results[0].id };
    };
    await add(10_000);
    expect(await read()).toEqual({ count: 10_000, has_more: false, newest: true });
    await add(1);
    expect(await read()).toEqual({ count: 10_000, has_more: true, newest: true });
    await db.run(sql`DELETE FROM published_event WHERE practice_id = ${basics.disabled}`);
  });

  test("is filtered by record, change, status, target and time, with a count", async () => {
    const failed = await event("failed");
    await event("delivered");
    const count = async (query: string) => {
      const { status, body } = await staffCallAs(admin, "GET", at(`events?${query}`));
      expect([status, body.fields ?? null]).toEqual([200, null]);
      expect(body.results).toHaveLength(Math.min(50, body.count));
      return body.count;
    };
    expect(await count("status=failed")).toBeGreaterThanOrEqual(1);
    expect(await count(`resource=patients&resource_id=${patients[0]}&event_type=saved`)).toBeGreaterThanOrEqual(2);
    expect(await count("resource=physicians")).toBe(0);
    expect(await count("event_type=deleted")).toBe(0);
    expect(await count("target=STAFF-events")).toBe(await count(""));
    expect(await count("target=elsewhere")).toBe(0);
    expect(await count("from=2099-01-01T00:00:00Z")).toBe(0);
    expect(await count("to=2000-01-01T00:00:00Z")).toBe(0);
    const { body } = await staffCallAs(admin, "GET", at("events?status=failed"));
    expect(body.results[0]).toMatchObject({
      event_id: failed,
      status: "failed",
      retriable: true,
      reported: false,
      paused: false,
      attempts: 9,
      error_content: "timed out",
      client_name: "Listener",
      target: TARGET,
    });
  });

  test("updates its rows and only counts newer events", async () => {
    const one = await event("failed");
    const { body: page } = await staffCallAs(admin, "GET", at("events?status=failed"));
    const row = page.results.find((found: { event_id: number }) => found.event_id === one);
    await db.run(sql`UPDATE published_event SET delivery = 'delivered', processed_date = now(), error_content = NULL,
      status_code = 200 WHERE event_id = ${one}`);
    await event("failed");
    await event("delivered");
    const query = `status=failed&after=${page.newest}&ids=${row.id}`;
    const { body } = await staffCallAs(admin, "GET", at(`events/refresh?${query}`));
    expect(body).toMatchObject({ newer: 1, results: [{ id: row.id, status: "processed", status_code: 200 }] });
  });

  test("neither lists nor finds another practice's events", async () => {
    const one = await event("failed");
    const their = (path: string) => `practices/${basics.foreign}/${path}`;
    expect((await staffCallAs(foreigner, "GET", their("events"))).body).toMatchObject({ count: 0, results: [] });
    expect((await staffCallAs(foreigner, "GET", their(`events/${one}`))).status).toBe(404);
    expect((await staffCallAs(foreigner, "GET", their(`events/${one}/payload`))).status).toBe(404);
    expect((await staffCallAs(foreigner, "GET", at("events"))).status).toBe(404);
    const { body } = await staffCallAs(foreigner, "POST", their("events/retry"), { body: { event_ids: [one] } });
    expect(body.results).toEqual([{ event_id: one, outcome: "absent" }]);
    const body_ = { processed_date: "2026-11-21T10:00:00Z" };
    expect((await staffCallAs(foreigner, "PUT", their(`events/${one}`), { body: body_ })).status).toBe(404);
    const resume = await staffCallAs(foreigner, "POST", their(`subscriptions/${subscription.id}/resume`), {
      headers: { "x-change-reason": "Back" },
    });
    expect(resume.status).toBe(404);
    expect((await staffCallAs(foreigner, "GET", their("subscriptions"))).body.results).toEqual([]);
    expect(await stored(one)).toMatchObject({ delivery: "failed" });
  });
});

describe("one event", () => {
  test("shows its attempts, newest first", async () => {
    const one = await event("failed");
    const { body } = await staffCallAs(admin, "GET", at(`events/${one}`));
    expect(body).toMatchObject({ event_id: one, subscription_id: subscription.id, status: "failed" });
    expect(body.tries).toEqual([
      {
        number: 1,
        started_date: expect.stringMatching(/Z$/),
        duration_ms: 12,
        status_code: 500,
        error: "the target returned 500",
      },
    ]);
  });

  test("shows the payload as the client would receive it now, and audits the read", async () => {
    const one = await event("failed");
    const { body } = await staffCallAs(admin, "GET", at(`events/${one}/payload`));
    const record = (await call("GET", `patients/${patients[0]}`, { token: client.token })).body;
    expect(body.payload).toMatchObject({
      event_id: one,
      action: "saved",
      resource: "patients",
      application_id: client.clientId,
    });
    expect(body.payload.data).toEqual(record);
    const entries = await db.rows(sql`SELECT kind, patients::int[] AS patients FROM audit_log
      WHERE operation = 'staff.events.payload' AND path LIKE ${`%/${one}/payload`}`);
    expect(entries).toEqual([{ kind: "read", patients: [patients[0]] }]);
  });

  test("shows no payload for a client that lost access to the practice", async () => {
    const other = await createListener(basics, "https://hooks.example.org/lost");
    const one = await event("failed");
    const own = (await shownEvents(other.client)).at(-1).event_id;
    await db.run(sql`DELETE FROM oauth_client_practice WHERE client_id = ${other.client.id}`);
    const { body } = await staffCallAs(admin, "GET", at(`events/${own}/payload`));
    expect([one > 0, body.payload]).toEqual([true, null]);
    await db.run(sql`UPDATE subscription SET deleted_date = now() WHERE id = ${other.subscription.id}`);
  });
});

describe("marking as processed", () => {
  const report = { processed_date: "2026-11-21T10:00:00Z", error_content: null, status_code: 200 };

  test("accepts the same three fields as the API for the signed-in user, and ends the delivery", async () => {
    const one = await event("failed");
    const headers = { "x-change-reason": "Confirmed by phone" };
    const { status, body } = await staffCallAs(admin, "PUT", at(`events/${one}`), { body: report, headers });
    expect([status, body.status, body.reported]).toEqual([200, "processed", true]);
    const seen = (await shownEvents(client, "order_by=-id")).find(({ event_id }) => event_id === one);
    expect(seen).toMatchObject({ processed_date: "2026-11-21T10:00:00.000Z", error_content: null, status_code: 200 });
    expect(await stored(one)).toMatchObject({ delivery: "delivered", version: 2 });
    const version = await db.first(sql`SELECT actor->>'name' AS actor, source, reason FROM record_version v
      JOIN published_event e ON e.id = v.record_id AND v.record_type = 'published_event' WHERE e.event_id = ${one}`);
    expect(version).toEqual({ actor: "Robin admin", source: "staff", reason: "Confirmed by phone" });
  });

  test.each([
    [{ ...report, processed_date: undefined }, ["processed_date"]],
    [{ ...report, processed_date: "yesterday" }, ["processed_date"]],
    [{ ...report, status_code: 2 ** 31 }, ["status_code"]],
    [{ ...report, status_code: "OK" }, ["status_code"]],
  ])("rejects what the API rejects, by field: %j", async (body, fields) => {
    const one = await event("failed");
    const response = await staffCallAs(admin, "PUT", at(`events/${one}`), { body });
    expect([response.status, Object.keys(response.body)]).toEqual([400, fields]);
    expect(await stored(one)).toMatchObject({ delivery: "failed", version: 1 });
  });
});

describe("a retry", () => {
  const retry = (who: SignedIn, event_ids: number[]) =>
    staffCallAs(who, "POST", at("events/retry"), { body: { event_ids } });

  test("reports on each event: failed ones start over, waiting ones are sent now, others stay", async () => {
    const failed = await event("failed");
    const waiting = await event("retrying");
    const follower = await event("pending");
    await db.run(sql`UPDATE published_event SET next_attempt_date = '2099-01-01' WHERE event_id = ${follower}`);
    const done = await event("delivered");
    const { status, body } = await retry(admin, [failed, waiting, done, 999_999_999]);
    expect(status).toBe(200);
    expect(body.results).toEqual([
      { event_id: failed, outcome: "queued" },
      { event_id: waiting, outcome: "queued" },
      { event_id: done, outcome: "delivered" },
      { event_id: 999_999_999, outcome: "absent" },
    ]);
    expect(await stored(failed)).toMatchObject({ delivery: "pending", due: true, version: 2 });
    expect(await stored(waiting)).toMatchObject({ delivery: "pending", due: true, version: 2 });
    expect(await stored(follower), "later events of the record no longer wait").toMatchObject({
      due: true,
      version: 1,
    });
    expect(await stored(done)).toMatchObject({ delivery: "delivered", version: 1 });
    expect((await retry(admin, [failed])).body.results, "a repeated retry does no harm").toEqual([
      { event_id: failed, outcome: "queued" },
    ]);
  });

  test("sends an event again that its client rejected, and keeps the client's report in the history", async () => {
    const rejected = await event("delivered");
    const report = { processed_date: "2026-11-01T10:00:00Z", status_code: 422, error_content: "No such patient" };
    expect((await staffCallAs(admin, "PUT", at(`events/${rejected}`), { body: report })).status).toBe(200);
    const show = async () => (await staffCallAs(admin, "GET", at(`events/${rejected}`))).body;
    expect(await show()).toMatchObject({ status: "failed", reported: true, retriable: true });
    const filter = `resource_id=${patients[0]}&status=rejected`;
    expect((await staffCallAs(admin, "GET", at(`events/retriable?${filter}`))).body.event_ids).toContain(rejected);
    expect((await retry(admin, [rejected])).body.results).toEqual([{ event_id: rejected, outcome: "queued" }]);
    expect(await show()).toMatchObject({ status: "pending", reported: false, error_content: null, due: true });
    const version = await db.first(sql`
      SELECT v.changes->'error_content' AS report, v.changes->'delivery' AS delivery
      FROM record_version v JOIN published_event e ON e.id = v.record_id AND v.record_type = 'published_event'
      WHERE e.event_id = ${rejected} ORDER BY v.version DESC LIMIT 1`);
    expect(version).toEqual({
      report: { old: "No such patient", new: null },
      delivery: { old: "delivered", new: "pending" },
    });
  });

  test("waits until a paused subscription resumes, and does nothing after the subscription ended", async () => {
    const one = await event("failed");
    await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${subscription.id}`);
    expect((await retry(admin, [one])).body.results).toEqual([{ event_id: one, outcome: "paused" }]);
    await db.run(sql`UPDATE subscription SET paused_date = NULL WHERE id = ${subscription.id}`);
    const other = await createListener(basics, "https://hooks.example.org/ended");
    await touch(patients[1] as number);
    const own = (await shownEvents(other.client))[0].event_id;
    await db.run(sql`UPDATE published_event SET delivery = 'failed', failed_date = now() WHERE event_id = ${own}`);
    await db.run(sql`UPDATE subscription SET deleted_date = now() WHERE id = ${other.subscription.id}`);
    expect((await retry(admin, [own])).body.results).toEqual([{ event_id: own, outcome: "canceled" }]);
    expect(await stored(own)).toMatchObject({ delivery: "failed" });
  });

  test("returns the count of events that match a filter before it retries all", async () => {
    await touch(patients[2] as number);
    const { event_id } = await newest();
    await db.run(sql`UPDATE published_event SET delivery = 'failed', failed_date = now() WHERE event_id = ${event_id}`);
    const query = `resource=patients&resource_id=${patients[2]}`;
    const { body } = await staffCallAs(admin, "GET", at(`events/retriable?${query}`));
    expect(body).toEqual({ count: 1, event_ids: [event_id] });
    expect((await staffCallAs(admin, "GET", at(`events/retriable?${query}&status=processed`))).body.count).toBe(0);
  });

  test("accepts 1 to 100 events", async () => {
    expect((await retry(admin, [])).status).toBe(400);
    expect(
      (
        await retry(
          admin,
          Array.from({ length: 101 }, (_, id) => id + 1),
        )
      ).status,
    ).toBe(400);
  });
});

describe("subscriptions", () => {
  test("show their health and the practice's counts; an admin resumes a paused one with a reason", async () => {
    const since = "2026-11-01T00:00:00.000Z";
    await event("failed");
    await db.run(
      sql`UPDATE subscription SET paused_date = ${since}, failing_since = ${since} WHERE id = ${subscription.id}`,
    );
    const list = async () =>
      (await staffCallAs(admin, "GET", at("subscriptions"))).body.results.find(
        ({ id }: { id: number }) => id === subscription.id,
      );
    const before = await list();
    expect(before).toMatchObject({ client_name: "Listener", target: TARGET, paused_date: since, failing_since: since });
    expect([before.failed > 0, before.open > 0]).toEqual([true, true]);
    const path = at(`subscriptions/${subscription.id}/resume`);
    expect((await staffCallAs(admin, "POST", path)).status).toBe(400);
    const headers = { "x-change-reason": "Their server is back" };
    expect((await staffCallAs(admin, "POST", path, { headers })).status).toBe(204);
    expect(await list()).toMatchObject({ paused_date: null, failing_since: null });
    const version = await db.first(sql`SELECT actor->>'name' AS actor, reason FROM record_version
      WHERE record_type = 'subscription' AND record_id = ${subscription.id} ORDER BY version DESC LIMIT 1`);
    expect(version).toEqual({ actor: "Robin admin", reason: "Their server is back" });
    expect((await staffCallAs(admin, "POST", path, { headers })).status).toBe(404);
  });

  test("can be resumed only by a member of all practices of their client", async () => {
    const both = [basics.enabled, basics.disabled];
    const shared = await subscribe(await newClient(basics, both), "https://hooks.example.org/shared");
    await db.run(sql`UPDATE subscription SET paused_date = now() WHERE id = ${shared.id}`);
    const paused = () =>
      db.first<{ paused: boolean; version: number }>(
        sql`SELECT paused_date IS NOT NULL AS paused, version FROM subscription WHERE id = ${shared.id}`,
      );
    const before = await paused();
    const headers = { "x-change-reason": "Their server is back" };
    const resume = (who: SignedIn) => staffCallAs(who, "POST", at(`subscriptions/${shared.id}/resume`), { headers });
    const rejected = await resume(admin);
    expect([rejected.status, rejected.body.code]).toEqual([409, "belongs_elsewhere"]);
    expect(rejected.body.detail).toContain("practices that you don't belong to");
    expect(await paused()).toEqual(before);
    expect((await resume(await signInAs("admin", both))).status).toBe(204);
    expect(await paused()).toMatchObject({ paused: false });
  });
});

test("only admins read, mark, retry and resume: everyone else gets 403", async () => {
  const one = await event("failed");
  const report = { processed_date: "2026-11-21T10:00:00Z" };
  for (const who of [viewer, staff]) {
    for (const path of ["events", `events/${one}`, `events/${one}/payload`, "events/retriable", "subscriptions"])
      expect((await staffCallAs(who, "GET", at(path))).status, path).toBe(403);
    expect((await staffCallAs(who, "PUT", at(`events/${one}`), { body: report })).status).toBe(403);
    expect((await staffCallAs(who, "POST", at("events/retry"), { body: { event_ids: [one] } })).status).toBe(403);
    expect((await staffCallAs(who, "POST", at(`subscriptions/${subscription.id}/resume`))).status).toBe(403);
  }
  expect((await staffCallAs(null, "GET", at("events"))).status).toBe(401);
  expect(await stored(one)).toMatchObject({ delivery: "failed", version: 1 });
});
