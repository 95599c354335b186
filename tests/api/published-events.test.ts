// Published events (specification, Published event and Events 1).
import { beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { type Basics, call, MARIA, seedBasics, seedPatient, tokenFor } from "@/tests/support/api";

let basics: Basics;
/** A client that subscribes to patients. */
let listener: string;
/** A client that writes; the listener receives its events. */
let writer: string;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  writer = basics.token;
  listener = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
  patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  for (const resource of ["patients", "physicians", "practices", "insurance_companies", "insurance_plans"]) {
    const body = { resource, target: `https://hooks.example.org/${resource}` };
    expect((await call("POST", "subscriptions", { token: listener, body })).status).toBe(201);
  }
});

// biome-ignore lint/suspicious/noExplicitAny: events as the API returns them.
async function eventsOf(token: string, query = ""): Promise<any[]> {
  const { status, body } = await call("GET", `published_events?limit=100&${query}`, { token });
  expect([status, body.detail ?? body]).toEqual([200, expect.anything()]);
  return body.results;
}

/** Returns the events that a write publishes for the listener. */
async function eventsPublishedBy(write: () => Promise<{ status: number }>) {
  const before = (await eventsOf(listener)).length;
  const { status } = await write();
  return { status, events: (await eventsOf(listener)).slice(before) };
}

async function newEvent() {
  const { events } = await eventsPublishedBy(() =>
    call("POST", `patients/${patient}/policies`, { token: writer, body: { ...MARIA, rank: null } }),
  );
  return events[0];
}

describe("a write publishes", () => {
  test("one event with exactly the nine fields until the client reports on it", async () => {
    const event = await newEvent();
    expect(event).toEqual({
      id: expect.any(Number),
      event_id: expect.any(Number),
      event_type: "saved",
      resource: "patients",
      resource_id: patient,
      target: "https://hooks.example.org/patients",
      processed_date: null,
      error_content: null,
      status_code: null,
    });
    expect((await call("GET", `published_events/${event.event_id}/`, { token: listener })).body).toEqual(event);
    expect((await call("GET", `app/published_events/${event.event_id}`, { token: listener })).body).toEqual(event);
  });

  const cases: [string, string, string, () => Promise<{ status: number }>][] = [
    ["PATCH patients/{id}", "patients", "saved", () => patch(`patients/${patient}`, { sex: "Male" })],
    [
      "legacy insurances",
      "patients",
      "saved",
      () => patch(`patients/${patient}`, { insurances: [{ rank: "primary" }] }),
    ],
    [
      "a physician",
      "physicians",
      "saved",
      () => patch(`physicians/${basics.physicians.enabled}`, { credentials: "MD" }),
    ],
    ["a practice", "practices", "saved", () => patch(`practices/${basics.enabled}`, { city: "Salem" })],
  ];
  const patch = (path: string, body: object) => call("PATCH", path, { token: writer, body });
  test.each(cases)("one event of its resource: %s", async (_what, resource, type, write) => {
    const { status, events } = await eventsPublishedBy(write);
    expect([status, events.map((event) => [event.resource, event.event_type])]).toEqual([200, [[resource, type]]]);
  });

  test("saved and deleted for companies and plans, in order", async () => {
    const company = { practice: basics.enabled, carrier: "Acme" };
    const { events } = await eventsPublishedBy(async () => {
      const created = await call("POST", "insurance_companies", { token: writer, body: company });
      const plan = { practice: basics.enabled, insurance_company: created.body.id, name: "Gold" };
      const plans = await call("POST", "insurance_plans", { token: writer, body: plan });
      await call("DELETE", `insurance_plans/${plans.body.id}`, { token: writer });
      return call("DELETE", `insurance_companies/${created.body.id}`, { token: writer });
    });
    expect(events.map((event) => `${event.resource} ${event.event_type}`)).toEqual([
      "insurance_companies saved",
      "insurance_plans saved",
      "insurance_plans deleted",
      "insurance_companies deleted",
    ]);
  });

  test("a deleted patient", async () => {
    const gone = await seedPatient(basics.enabled, basics.physicians.enabled);
    const { events } = await eventsPublishedBy(() => call("DELETE", `patients/${gone}`, { token: writer }));
    expect(events.map((event) => [event.event_type, event.resource_id])).toEqual([["deleted", gone]]);
  });

  test.each([
    ["a rejected write", 400, () => call("POST", `patients/${patient}/policies`, { token: writer, body: { rank: 1 } })],
    [
      "a dry run",
      200,
      () => call("POST", `patients/${patient}/policies?dry_run=true`, { token: writer, body: { ...MARIA, rank: 1 } }),
    ],
    ["a write that changes nothing", 200, () => patch(`practices/${basics.enabled}`, { city: "Salem" })],
    [
      "a write of the listener itself",
      201,
      () => call("POST", `patients/${patient}/policies`, { token: listener, body: { ...MARIA, rank: null } }),
    ],
    [
      "a write in a practice that the listener can't access",
      200,
      () => patch(`physicians/${basics.physicians.disabled}`, { credentials: "MD" }),
    ],
  ])("nothing for %s", async (_what, status, write) => {
    expect(await eventsPublishedBy(write)).toMatchObject({ status, events: [] });
  });

  test("nothing if the write is rolled back, and nothing for a subscription that ended", async () => {
    const token = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
    const body = { resource: "patients", target: "https://hooks.example.org/short" };
    const { body: subscription } = await call("POST", "subscriptions", { token, body });
    await newEvent();
    expect(await eventsOf(token)).toHaveLength(1);
    await call("DELETE", `subscriptions/${subscription.id}`, { token });
    await newEvent();
    expect(await eventsOf(token)).toHaveLength(1);
    const [event] = await db.rows(sql`SELECT delivery FROM published_event WHERE subscription_id = ${subscription.id}`);
    expect(event).toEqual({ delivery: "canceled" });
    const counts = async () =>
      Promise.all(["pending", "processed", "failed"].map(async (s) => (await eventsOf(token, `status=${s}`)).length));
    expect(await counts()).toEqual([0, 0, 0]);
    const [{ event_id }] = await eventsOf(token);
    await call("PATCH", `published_events/${event_id}`, { token, body: { processed_date: "2026-11-21T10:00:00Z" } });
    expect(await counts()).toEqual([0, 1, 0]);
  });
});

describe.each(["published_events", "app/published_events"])("a report to %s/{event_id}", (path) => {
  const PROCESSED = "2026-11-21T10:00:00.000Z";

  test.each([
    ["the least", -2_147_483_648, 200],
    ["the greatest", 2_147_483_647, 200],
    ["zero", 0, 200],
    ["none", null, 200],
    ["one below", -2_147_483_649, 400],
    ["one above", 2_147_483_648, 400],
    ["a fraction", 1.5, 400],
    ["a word", "OK", 400],
  ])("accepts a status_code within 32 bits: %s", async (_what, status_code, expected) => {
    const { event_id } = await newEvent();
    for (const method of ["PUT", "PATCH"]) {
      const body = { processed_date: PROCESSED, status_code };
      const response = await call(method, `${path}/${event_id}/`, { token: listener, body });
      expect(response.status).toBe(expected);
      if (expected === 400) expect(Object.keys(response.body)).toEqual(["status_code"]);
      else expect(response.body.status_code).toBe(status_code);
    }
  });

  test.each([
    ["2026-11-21T12:00:00.1239+02:00", "2026-11-21T10:00:00.123Z"],
    ["2026-11-21T10:00", "2026-11-21T10:00:00.000Z"],
    ["9999-12-31T23:59:59.9999Z", "9999-12-31T23:59:59.999Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59-01:00", null],
    ["0001-01-01T00:00:00+01:00", null],
    ["0000-12-31T23:00:00-02:00", "0001-01-01T01:00:00.000Z"],
  ])("accepts the time %s as %s, in a year of four digits", async (processed_date, stored) => {
    const { event_id } = await newEvent();
    const { status, body } = await call("PUT", `${path}/${event_id}`, { token: listener, body: { processed_date } });
    if (stored) expect([status, body.processed_date]).toEqual([200, stored]);
    else expect([status, body]).toEqual([400, { processed_date: ["Must be an ISO 8601 time."] }]);
  });

  test("PUT requires processed_date, returns all nine fields as stored, and ignores read-only ones", async () => {
    const event = await newEvent();
    const missing = await call("PUT", `${path}/${event.event_id}`, { token: listener, body: { status_code: 1 } });
    expect([missing.status, missing.body]).toEqual([400, { processed_date: ["This field is required."] }]);
    const body = {
      processed_date: "2026-11-21T12:00:00+02:00",
      error_content: "no such chart",
      status_code: 422,
      id: 1,
      event_id: 1,
      event_type: "x",
      resource: "x",
      resource_id: 1,
      target: "x",
      unknown: true,
    };
    const stored = { ...event, processed_date: PROCESSED, error_content: "no such chart", status_code: 422 };
    const put = await call("PUT", `${path}/${event.event_id}`, { token: listener, body });
    expect([put.status, put.body]).toEqual([200, stored]);
    expect((await call("GET", `${path}/${event.event_id}`, { token: listener })).body).toEqual(stored);
    const patched = await call("PATCH", `${path}/${event.event_id}`, {
      token: listener,
      body: { error_content: null },
    });
    expect(patched.body).toEqual({ ...stored, error_content: null });
    expect((await call("PATCH", `${path}/${event.event_id}`, { token: listener, body: {} })).body).toEqual(
      patched.body,
    );
    const versions = await db.rows(sql`
      SELECT version, source, actor->>'type' AS actor FROM record_version
      WHERE record_type = 'published_event' AND record_id = ${event.id} ORDER BY version`);
    expect(versions).toEqual([2, 3].map((version) => ({ version, source: "api", actor: "client" })));
  });

  test("404 for everyone but the subscriber, with the same message as for an absent event", async () => {
    const { event_id } = await newEvent();
    const body = { processed_date: PROCESSED };
    for (const token of [writer, basics.stranger]) {
      for (const method of ["GET", "PUT", "PATCH"]) {
        const options = method === "GET" ? { token } : { token, body };
        const theirs = await call(method, `${path}/${event_id}`, options);
        const absent = await call(method, `${path}/99999999`, options);
        expect([theirs.status, theirs.body]).toEqual([404, absent.body]);
      }
    }
    expect(await eventsOf(writer)).toEqual([]);
  });
});

describe("the list", () => {
  test("is filtered by resource, type, status and dates, and is paged", async () => {
    const [pending, processed, failed] = [await newEvent(), await newEvent(), await newEvent()];
    const report = (event: { event_id: number }, body: object) =>
      call("PATCH", `published_events/${event.event_id}`, { token: listener, body });
    await report(processed, { processed_date: "2026-11-20T10:00:00Z", status_code: 200 });
    await report(failed, { processed_date: "2026-11-21T10:00:00Z", error_content: "refused" });
    const ids = async (query: string) => (await eventsOf(listener, query)).map(({ event_id }) => event_id);
    expect(await ids("status=pending")).toContain(pending.event_id);
    expect(await ids("status=processed")).toContain(processed.event_id);
    expect(await ids("status=failed")).toContain(failed.event_id);
    const all = await ids("");
    const split = [await ids("status=pending"), await ids("status=processed"), await ids("status=failed")].flat();
    expect(split.sort((a, b) => a - b)).toEqual(all);
    expect(await ids("processed_date__gte=2026-11-20T10:00:00Z&processed_date__lt=2026-11-20T10:00:01Z")).toContain(
      processed.event_id,
    );
    expect(await ids("processed_date__gt=2026-11-20T10:00:00Z&processed_date__lte=2026-11-20T11:00:00Z")).toEqual([]);
    expect(await ids("created_date__gt=2999-01-01")).toEqual([]);
    const physicians = await eventsOf(listener, "resource=physicians");
    expect(new Set(physicians.map(({ resource }) => resource))).toEqual(new Set(["physicians"]));
    const deletions = await eventsOf(listener, "event_type=deleted");
    expect(new Set(deletions.map(({ event_type }) => event_type))).toEqual(new Set(["deleted"]));
    expect(await ids(`resource_id=${patient}&resource=patients&order_by=-event_id`)).toEqual(
      (await ids(`resource_id=${patient}&resource=patients`)).reverse(),
    );
  });

  test.each(["status=done", "event_type=changed", "resource=policies", "created_date__gt=soon", "order_by=target"])(
    "400 for %s, naming the parameter",
    async (query) => {
      const { status, body } = await call("GET", `published_events?${query}`, { token: listener });
      expect([status, Object.keys(body)]).toEqual([400, [query.split("=")[0]]]);
    },
  );
});

test("a client that loses access to a practice no longer sees its events", async () => {
  const token = await tokenFor({ organizationId: basics.organization, practices: [basics.enabled] });
  const body = { resource: "patients", target: "https://hooks.example.org/rights" };
  const { body: subscription } = await call("POST", "subscriptions", { token, body });
  await newEvent();
  const [event] = await eventsOf(token);
  await db.run(sql`
    DELETE FROM oauth_client_practice WHERE client_id = (SELECT client_id FROM subscription WHERE id = ${subscription.id})`);
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  expect(await eventsOf(token)).toEqual([]);
  expect((await call("GET", `published_events/${event.event_id}`, { token })).status).toBe(404);
  expect((await newEvent()).event_type).toBe("saved");
  expect(await db.rows(sql`SELECT id FROM published_event WHERE subscription_id = ${subscription.id}`)).toHaveLength(1);
});
