// The webhooks that a receiver gets and the handling of its responses, with a receiver in a separate process.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhooks } from "@/lib/background/webhooks";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { sql } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { owner } from "@/tests/support/owner";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { type Behaviour, type ReceivedWebhook, ReceiverProcess } from "../support/receiver-process";
import {
  attemptsOf,
  type Client,
  createListener,
  eventually,
  isSigned,
  type Subscription,
  shownEvents,
  storedEvents,
} from "../support/webhook-clients";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";
process.env.WEBHOOK_TIMEOUT_MS = "2000";
process.env.WEBHOOK_FIRST_RETRY_MS = "20";
// Writers do not replicate here; each test decides when both stores agree.
process.env.STREAM_CONSUMER = "worker";
process.env.STREAM_WAIT_MS = "0";

const PROCESSED = "2026-11-21T10:00:00.000Z";

let basics: Basics;
let receiver: ReceiverProcess;
let delivery: Background;
let paths = 0;

beforeAll(async () => {
  basics = await seedBasics();
  receiver = await ReceiverProcess.start();
  delivery = startWebhooks();
});
afterAll(async () => {
  await delivery.stop();
  await receiver.stop();
});

interface Listener {
  client: Client;
  subscription: Subscription;
  path: string;
}

async function listen(resource = "patients"): Promise<Listener> {
  const path = `/hook-${++paths}`;
  return { path, ...(await createListener(basics, `${receiver.origins[0]}${path}`, resource)) };
}

const newPatient = () => seedPatient(basics.enabled, basics.physicians.enabled);
const write = (method: string, path: string, body?: object) => call(method, path, { token: basics.token, body });
const savePatient = (id: number, sex = "Male") => write("PATCH", `patients/${id}`, { sex });

/** Waits for this many requests at the listener's path. */
async function received({ path }: Listener, count = 1): Promise<[ReceivedWebhook, ...ReceivedWebhook[]]> {
  return eventually(async () => {
    const requests = await receiver.requests(path);
    return requests.length >= count ? (requests as [ReceivedWebhook, ...ReceivedWebhook[]]) : null;
  });
}

const only = async ({ client }: Listener) => (await shownEvents(client))[0];
/** Waits for the listener's only event to reach a delivery state. */
const settled = (listener: Listener, state = "delivered") =>
  eventually(async () => {
    const [event] = await storedEvents(listener.subscription.id);
    return event?.delivery === state ? event : null;
  });
const report = ({ client }: Listener, eventId: number, body: object) =>
  call("PUT", `published_events/${eventId}`, { token: client.token, body });

describe("a webhook", () => {
  const cases: [resource: string, save: () => Promise<number>][] = [
    ["patients", async () => (await savePatient(await newPatient())).body.id],
    [
      "physicians",
      async () => (await write("PATCH", `physicians/${basics.physicians.enabled}`, { credentials: "MD" })).body.id,
    ],
    ["practices", async () => (await write("PATCH", `practices/${basics.enabled}`, { city: "Salem" })).body.id],
    [
      "insurance_companies",
      async () => (await write("POST", "insurance_companies", { practice: basics.enabled, carrier: "Acme" })).body.id,
    ],
    [
      "insurance_plans",
      async () => {
        const company = await write("POST", "insurance_companies", { practice: basics.enabled, carrier: "Acme" });
        const plan = { practice: basics.enabled, insurance_company: company.body.id, name: "Gold" };
        return (await write("POST", "insurance_plans", plan)).body.id;
      },
    ],
    [
      "allergies",
      async () => (await write("POST", "allergies", { patient: await newPatient(), name: "Latex" })).body.id,
    ],
  ];
  test.each(cases)(
    "has exactly the seven fields, with the record as its client reads it: %s",
    async (resource, save) => {
      const listener = await listen(resource);
      const id = await save();
      expect(id).toEqual(expect.any(Number));
      const [request] = await received(listener);
      const { event_id } = await only(listener);
      expect(JSON.parse(request.body)).toEqual({
        data: (await call("GET", `${resource}/${id}`, { token: listener.client.token })).body,
        action: "saved",
        event_id,
        event_uuid: request.id,
        application_id: listener.client.clientId,
        resource,
        resource_url: `http://localhost:3000/api/2.0/${resource}/${id}/`,
      });
      expect(request.headers).toMatchObject({ "content-type": "application/json", "x-crosswalk-attempt": "1" });
    },
  );

  test("has only the id of a deleted record", async () => {
    const [patients, companies] = [await listen(), await listen("insurance_companies")];
    const patient = await newPatient();
    const company = (await write("POST", "insurance_companies", { practice: basics.enabled, carrier: "Acme" })).body.id;
    await write("DELETE", `patients/${patient}`);
    await write("DELETE", `insurance_companies/${company}`);
    const bodies = [...(await received(patients)), ...(await received(companies, 2)).slice(1)].map(({ body }) =>
      JSON.parse(body),
    );
    expect(bodies.map(({ action, data }) => [action, data])).toEqual([
      ["deleted", { id: patient }],
      ["deleted", { id: company }],
    ]);
  });

  test("is sent after both stores agree on a patient's insurances, and has the new ones", async () => {
    const listener = await listen();
    const patient = await newPatient();
    const policy = { ...MARIA, rank: 1, member_id: "WH1" };
    const created = await write("POST", `patients/${patient}/policies`, policy);
    expect([created.status, created.headers.get("sync-status")]).toEqual([201, "pending"]);
    const other = await newPatient();
    await savePatient(other);
    const [first] = await received(listener);
    expect(JSON.parse(first.body).data.id).toBe(other);
    await deliverPatient(patient);
    const [, second] = await received(listener, 2);
    const { data } = JSON.parse(second?.body ?? "");
    expect(data.id).toBe(patient);
    expect(data.insurances).toEqual([expect.objectContaining({ rank: "primary", member_id: "WH1" })]);
  });

  test("is signed with the subscription's key: it does not verify with another key, or a changed body, ID or time", async () => {
    const [listener, colleague] = [await listen(), await listen()];
    await savePatient(await newPatient());
    const [{ headers, body, id }] = await received(listener);
    const timestamp = headers["webhook-timestamp"] ?? "";
    const message = { id: headers["webhook-id"] ?? "", timestamp, body, signature: headers["webhook-signature"] ?? "" };
    expect([message.id, JSON.parse(body).event_uuid]).toEqual([id, id]);
    expect(timestamp).toMatch(/^\d{10}$/);
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(60);
    expect(isSigned(listener.subscription, message)).toBe(true);
    expect(isSigned(listener.subscription, { ...message, body: body.replace("Male", "Female") })).toBe(false);
    expect(isSigned(listener.subscription, { ...message, id: `${id}0` })).toBe(false);
    expect(isSigned(listener.subscription, { ...message, timestamp: String(Number(timestamp) + 1) })).toBe(false);
    expect(isSigned(colleague.subscription, message)).toBe(false);
    await received(colleague);
  });
});

const FAILURES: [what: Behaviour, status: number | null, error: string][] = [
  ["500", 500, "HTTP 500."],
  ["404", 404, "HTTP 404."],
  ["redirect", 302, "HTTP 302: redirects are not followed."],
  ["reset", null, "The connection was closed before a response arrived."],
  ["silent", null, "No response within 2 s."],
  ["drip", 200, "The response was not complete within 2 s."],
];
describe.each(FAILURES)("%s", (behaviour, status, error) => {
  test("is retried with the same UUID; the API shows the error until it succeeds", async () => {
    const listener = await listen();
    await receiver.expect(listener.path, [behaviour, behaviour, "500", "ok"]);
    const patient = await newPatient();
    await savePatient(patient);
    const shown = await eventually(async () => {
      const event = await only(listener);
      return event?.error_content === error ? event : null;
    });
    expect(shown).toMatchObject({ processed_date: null, status_code: status, error_content: error });
    const event = await settled(listener);
    expect(await only(listener)).toMatchObject({
      event_id: shown.event_id,
      resource_id: patient,
      status_code: 200,
      error_content: null,
      processed_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    const requests = await receiver.requests(listener.path);
    expect(requests.map(({ id, attempt }) => [id, attempt])).toEqual([1, 2, 3, 4].map((n) => [event.event_uuid, n]));
    for (const { headers, body } of requests) {
      const {
        "webhook-id": id = "",
        "webhook-timestamp": timestamp = "",
        "webhook-signature": signature = "",
      } = headers;
      expect(isSigned(listener.subscription, { id, timestamp, body, signature })).toBe(true);
    }
    const attempt = { started_date: expect.any(String), duration_ms: expect.any(Number) };
    expect(await attemptsOf(event)).toEqual([
      { ...attempt, number: 1, status_code: status, error },
      { ...attempt, number: 2, status_code: status, error },
      { ...attempt, number: 3, status_code: 500, error: "HTTP 500." },
      { ...attempt, number: 4, status_code: 200, error: null },
    ]);
  });
});

test("an unreachable receiver is a failure like any other", async () => {
  const closed = await ReceiverProcess.start();
  await closed.stop();
  const { client, subscription } = await createListener(basics, `${closed.origins[0]}/gone`);
  await savePatient(await newPatient());
  await eventually(async () => ((await storedEvents(subscription.id))[0]?.attempts ?? 0) > 1 || null);
  const [event] = await shownEvents(client);
  expect(event).toMatchObject({ processed_date: null, status_code: null, error_content: "Connection refused." });
  await call("DELETE", `subscriptions/${subscription.id}`, { token: client.token });
});

describe("a client's own report", () => {
  /** Creates an event whose first attempt is in progress. */
  async function createHeldEvent(): Promise<Listener & { eventId: number }> {
    const listener = await listen();
    await receiver.expect(listener.path, ["held"]);
    await savePatient(await newPatient());
    await received(listener);
    return { ...listener, eventId: (await only(listener)).event_id };
  }

  test.each([200, 500])("made before the response (%s) is not overwritten, and ends the attempts", async (status) => {
    const listener = await createHeldEvent();
    const own = { processed_date: PROCESSED, status_code: 299, error_content: null };
    expect((await report(listener, listener.eventId, own)).body).toMatchObject(own);
    await receiver.release(status);
    const { attempts } = await settled(listener);
    expect(attempts).toBe(1);
    expect(await only(listener)).toMatchObject(own);
    expect(await receiver.requests(listener.path)).toHaveLength(1);
  });

  test("does not end the attempts if it reports an error, and stays when an attempt succeeds", async () => {
    const listener = await createHeldEvent();
    const own = { processed_date: PROCESSED, status_code: 422, error_content: "no such chart" };
    expect((await report(listener, listener.eventId, own)).body).toMatchObject(own);
    await receiver.release(500);
    expect((await settled(listener)).attempts).toBe(2);
    expect(await only(listener)).toMatchObject(own);
  });

  test("made after the delivery replaces the delivery's result", async () => {
    const listener = await listen();
    await savePatient(await newPatient());
    await settled(listener);
    const { event_id } = await only(listener);
    await report(listener, event_id, { processed_date: PROCESSED });
    const own = { processed_date: PROCESSED, status_code: null, error_content: null };
    expect(await only(listener)).toMatchObject(own);
  });
});

test("the list filters pending, processed and failed events", async () => {
  const listener = await listen();
  const patients = [await newPatient(), await newPatient(), await newPatient()];
  const [ok, failing, waiting] = patients as [number, number, number];
  await receiver.expect(listener.path, ["500"], failing);
  await receiver.expect(listener.path, ["held"], waiting);
  await savePatient(waiting);
  await received(listener);
  // The time for attempts is over before the first one.
  await owner.run(sql`CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN NEW.give_up_date := NEW.created_date; RETURN NEW; END $$`);
  await owner.run(sql`CREATE TRIGGER give_up BEFORE INSERT ON published_event FOR EACH ROW EXECUTE FUNCTION give_up()`);
  await savePatient(failing);
  await owner.run(sql`DROP TRIGGER give_up ON published_event`);
  await savePatient(ok);
  const failed = await eventually(async () => (await shownEvents(listener.client, "status=failed"))[0] ?? null);
  expect(failed).toMatchObject({ resource_id: failing, processed_date: null, error_content: "HTTP 500." });
  const processed = await eventually(async () => (await shownEvents(listener.client, "status=processed"))[0] ?? null);
  expect(processed).toMatchObject({ resource_id: ok, status_code: 200 });
  const pending = await shownEvents(listener.client, "status=pending");
  expect(pending.map(({ resource_id }) => resource_id)).toEqual([waiting]);
  await receiver.release();
});
