// The data of a webhook for a record of each resource with events is what GET returns to its client.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "@/generated/resources";
import { findReceivingClients, type ReceivingClient } from "@/lib/access/clients/queries";
import { systemOrigin } from "@/lib/access/identity/access";
import { SCOPE_RESOURCES, type ScopeResource } from "@/lib/access/identity/scopes";
import { readRecords } from "@/lib/api/webhook-records/queries";
import { buildPayload } from "@/lib/events/delivery/payload";
import { publishEvents } from "@/lib/events/published/publish-events";
import type { WebhookEvent } from "@/lib/events/published/schema";
import { RESOURCES_WITH_EVENTS } from "@/lib/events/subscriptions/schema";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, call, seedBasics, seedCompany, seedPatient, seedPlan } from "../support/api";
import { type Samples, seedSamples } from "../support/sample-records";
import { signInAs, staffCallAs } from "../support/staff";
import { type Client, newClient, shownEvents, subscribe } from "../support/webhook-clients";

const MEDICATION_DATA = ["packaged_medication_labelers", "packaged_medications"];
const SILENT = ["ccda", "languages", ...MEDICATION_DATA, "pharmacies", "reference_medications"];
/** Resources whose samples were created by a command, which published events. */
const SENT = resources.flatMap(({ name, operations }) => (operations.includes("create") ? [name as string] : []));

let basics: Basics;
let listener: Client;
let receiving: ReceivingClient;
let samples: Samples;
let patient: number;
const records: Partial<Record<string, number>> = {};

beforeAll(async () => {
  const now = new Date();
  setClock({ now: () => now });
  basics = await seedBasics();
  listener = await newClient(basics);
  receiving = (await findReceivingClients([listener.id])).get(listener.id) as ReceivingClient;
  for (const resource of RESOURCES_WITH_EVENTS)
    await subscribe(listener, `https://hooks.example.org/${resource}`, resource);
  const { enabled: practice, physicians } = basics;
  patient = await seedPatient(practice, physicians.enabled);
  const company = await seedCompany(practice);
  samples = await seedSamples({ practice, patient, physician: physicians.enabled, company });
  const staff = await db.first<{ id: number }>(sql`SELECT id FROM staff_user_practice WHERE user_id = ${samples.user}`);
  const insurance_plans = await seedPlan(practice, company);
  Object.assign(records, samples.records, { practices: practice, insurance_plans, office_staff: staff?.id });
});
afterAll(() => setClock());

/** Reads the newest event of a record, as a sender would claim it. */
async function eventOn(resource: string, id: number | undefined): Promise<WebhookEvent | null> {
  return db.first<WebhookEvent>(sql`
    SELECT event_type, event_id, event_uuid, resource, resource_id FROM published_event
    WHERE client_id = ${listener.id} AND resource = ${resource} AND resource_id = ${id ?? 0} ORDER BY id DESC LIMIT 1`);
}

/** Publishes an event for a record that was inserted without a command. */
async function publish(resource: ScopeResource, id: number): Promise<void> {
  const origin = systemOrigin({ name: "Sample", source: "api", operation: "sample" });
  const event = { type: "saved" as const, resource, ids: [id], practiceId: basics.enabled, origin };
  await transaction((tx) => publishEvents(tx, event));
}

async function buildNewestPayload(resource: string, id: number | undefined) {
  const { payload, patients } = await buildPayload(
    (await eventOn(resource, id)) as WebhookEvent,
    receiving,
    readRecords,
  );
  return { ...(payload as { data: Record<string, unknown>; action: string; resource_url: string }), patients };
}

const get = (url: string) => call("GET", url.replace("http://localhost:3000", ""), { token: listener.token });

test("every resource of the scope table has events, except those that are never written", () => {
  expect(SCOPE_RESOURCES.filter((name) => !RESOURCES_WITH_EVENTS.includes(name))).toEqual(SILENT);
});

describe("the data of an event equals GET resource_url:", () => {
  test.each(RESOURCES_WITH_EVENTS.filter((name) => name !== "patient-provider-team-members"))(
    "%s",
    async (resource) => {
      const id = records[resource] as number;
      if (!SENT.includes(resource)) await publish(resource, id);
      const { data, action, resource_url } = await buildNewestPayload(resource, id);
      const { status, body } = await get(resource_url);
      expect([action, status]).toEqual(["saved", 200]);
      expect(Object.keys(data).length).toBeGreaterThan(1);
      expect(JSON.parse(JSON.stringify(data))).toEqual(body);
    },
  );

  test("a provider team's member, which has no GET, looks as it does in the team", async () => {
    const { data } = await buildNewestPayload(
      "patient-provider-team-members",
      records["patient-provider-team-members"],
    );
    const team = await call("GET", `patients/${patient}/patient_provider_team/`, { token: listener.token });
    expect(team.body.team_members).toEqual([data]);
  });
});

test("the audit of a webhook with a patient's record names the patient", async () => {
  expect((await buildNewestPayload("allergies", records.allergies)).patients).toEqual([patient]);
  expect((await buildNewestPayload("contacts", records.contacts)).patients).toEqual([]);
});

test.each([
  ["reports", "report_notes", () => `reports/${records.reports}/internal_notes/`, { text: "Ask again." }],
  ["patients", "patient_balances", () => `patients/${patient}/outstanding_balance/`, { balance: "12.50" }],
] as const)("a change to a part publishes the entire record: %s of %s", async (whole, _part, path, body) => {
  const before = await shownEvents(listener, `resource=${whole}&resource_id=${records[whole]}`);
  const saved = await call("POST", path(), { token: basics.token, body });
  expect([saved.body, saved.status]).toEqual([expect.anything(), expect.toSatisfy((status) => status < 300)]);
  expect(await shownEvents(listener, `resource=${whole}&resource_id=${records[whole]}`)).toHaveLength(
    before.length + 1,
  );
  const { data, resource_url } = await buildNewestPayload(whole, records[whole]);
  expect(JSON.parse(JSON.stringify(data))).toEqual((await get(resource_url)).body);
});

test("only the ID is sent for a record that was deleted since, or is in a practice that the client lost", async () => {
  const created = await call("POST", "allergies", { token: basics.token, body: { patient, name: "Latex" } });
  const { id } = created.body;
  const foreign = { ...receiving, access: { ...receiving.access, practices: [basics.disabled] } };
  const saved = (await eventOn("allergies", id)) as WebhookEvent;
  expect(await buildPayload(saved, foreign, readRecords)).toMatchObject({ payload: { data: { id } }, patients: [] });
  expect((await buildNewestPayload("allergies", id)).data).toEqual(created.body);
  expect((await call("DELETE", `allergies/${id}`, { token: basics.token })).status).toBe(204);
  expect(await buildPayload(saved, receiving, readRecords)).toMatchObject({
    payload: { action: "saved" },
    patients: [],
  });
  expect(((await buildPayload(saved, receiving, readRecords)).payload as { data: unknown }).data).toEqual({ id });
  expect(await buildNewestPayload("allergies", id)).toMatchObject({ action: "deleted", data: { id }, patients: [] });
});

test("adding, renaming, disabling and removing staff members publishes events", async () => {
  const admin = await signInAs("admin", [basics.enabled]);
  const members = `practices/${basics.enabled}/members`;
  const seen = async () => (await shownEvents(listener, "resource=office_staff&order_by=event_id")).slice(1);
  const input = { email: "new@example.org", name: "Sam Ortiz", role: "staff", practices: [basics.enabled] };
  const { body } = await staffCallAs(admin, "POST", members, { body: input });
  const [{ resource_id }] = await seen();
  expect(await buildNewestPayload("office_staff", resource_id)).toMatchObject({
    action: "saved",
    data: { last_name: "Ortiz" },
  });
  for (const patch of [{ name: "Sam Ortega" }, { role: "viewer" }, { disabled: true }, { disabled: false }]) {
    const { status } = await staffCallAs(admin, "PATCH", `${members}/${body.id}`, { body: patch });
    expect([patch, status]).toEqual([patch, 204]);
  }
  expect((await staffCallAs(admin, "DELETE", `${members}/${body.id}`)).status).toBe(204);
  expect((await seen()).map(({ event_type, resource_id: id }) => [event_type, id])).toEqual(
    ["saved", "saved", "deleted", "saved", "deleted"].map((type) => [type, resource_id]),
  );
});
