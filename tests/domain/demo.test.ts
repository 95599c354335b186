import fs from "node:fs";
import path from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { verifyAudit } from "@/lib/access/audit/chain-queries";
import { verifyClient } from "@/lib/access/clients/commands";
import { mintAccess } from "@/lib/access/identity/access";
import { verifyPassword } from "@/lib/access/staff/passwords";
import { listStaffUsers } from "@/lib/access/staff/queries";
import { listPracticeHomes } from "@/lib/api/home/queries";
import { getDeliveryBacklog } from "@/lib/events/published/queries";
import { countFailedEvents, searchEvents } from "@/lib/events/published/staff-queries";
import { listPracticeSubscriptions } from "@/lib/events/subscriptions/staff-queries";
import { db, sql } from "@/lib/platform/db/sql";
import { inventMedications } from "@/prisma/seed/medications";
import { loadDemo } from "@/scripts/lib/database.mjs";
import { type DemoFile, seedDemo } from "@/scripts/seed-demo";
import { sealAll } from "../support/audit";
import { cloneDatabase, withLoginOf } from "../support/databases";
import { expectImagesComplete } from "../support/legacy-export";
import { snapshot } from "../support/snapshot";
import { expectStoresAgree } from "../support/stores";

const BASE = { baseUrl: "http://localhost:3000" };
const file = () => path.join(process.env.CROSSWALK_DATA_DIR as string, "demo.json");
const read = (): DemoFile => JSON.parse(fs.readFileSync(file(), "utf8"));

let seconds: number;
beforeAll(async () => {
  const started = performance.now();
  await seedDemo(BASE);
  seconds = (performance.now() - started) / 1000;
});

test("the demo has the designed data, and demo.json explains how to use it", async () => {
  console.info(`the demo took ${seconds.toFixed(1)} s`);
  const demo = read();
  expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
  expect(demo.base_url).toBe("http://localhost:3000");
  expect(demo.practices.map((practice) => practice.insurance_versioning_enabled)).toEqual([true, false, true]);
  const [one = 0, two = 0, three = 0] = demo.practices.map(({ id }) => id);
  expect(demo.clients.map(({ practices, scoped_tokens }) => ({ practices, scoped_tokens }))).toEqual([
    { practices: [one, two], scoped_tokens: true },
    { practices: [one, two], scoped_tokens: false },
    { practices: [three], scoped_tokens: true },
  ]);
  for (const { client_id, client_secret } of demo.clients)
    expect(await verifyClient(client_id, client_secret)).toBeTruthy();
  expect(demo.staff.map(({ role, practices }) => ({ role, practices }))).toEqual(
    ["admin", "staff", "viewer"].map((role) => ({ role, practices: [one, two] })),
  );
  for (const { email, password } of demo.staff) {
    const [user] = await listStaffUsers(email.toUpperCase());
    expect(await verifyPassword(password, user?.password_hash ?? "")).toBe(true);
    expect(await verifyPassword(`${password}x`, user?.password_hash ?? "")).toBe(false);
  }
  const counts = await db.first<Record<string, number>>(sql`
    SELECT (SELECT count(*) FROM patient) AS patients, (SELECT count(*) FROM policy WHERE status = 'active') AS active,
      (SELECT count(*) FROM policy WHERE archive_reason = 'superseded') AS superseded,
      (SELECT count(*) FROM policy_card_image) AS images, (SELECT max(version) FROM policy) AS versions`);
  expect(counts?.patients).toBeGreaterThanOrEqual(190);
  for (const found of Object.values(counts ?? {})) expect(found).toBeGreaterThan(3);
});

test("reference data is shared, and both practices of the first organization have records", async () => {
  const rows = await db.rows<{ resource: string; practice_id: number | null; records: number }>(sql`
    SELECT resource, practice_id, count(*) AS records FROM resource_record GROUP BY resource, practice_id`);
  const held = (practice: number | null) =>
    Object.fromEntries(rows.filter((row) => row.practice_id === practice).map((row) => [row.resource, row.records]));
  const shared = held(null);
  for (const [resource, least] of Object.entries({
    languages: 180,
    packaged_medication_labelers: 60,
    reference_medications: 800,
    packaged_medications: 2_500,
    pharmacies: 400,
    vaccine: 70,
    ancillary_companies: 8,
  }))
    expect(shared[resource], resource).toBeGreaterThanOrEqual(least);
  const [one = 0, two = 0, three = 0] = read().practices.map(({ id }) => id);
  for (const practice of [one, two]) {
    expect(held(practice)).toMatchObject({
      service_locations: 1,
      appointment_types: 4,
      report_types: 7,
      imaging_centers: 3,
      cardiac_centers: 1,
      patient_forms: 1,
      print_headers: 1,
      problems: 15,
      allergies: 5,
      medications: 15,
      visit_notes: 15,
      vitals: 15,
      appointments: 15,
    });
  }
  expect(held(three)).toEqual({});
});

test("drug codes of the demo have eleven digits with a valid check digit", () => {
  for (const { ndc, upc } of inventMedications().packages as { ndc: string; upc: string }[]) {
    expect(ndc).toMatch(/^\d{5}-\d{4}-\d{2}$/);
    const sum = [...upc].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
    expect([upc.length, sum % 10]).toEqual([12, 0]);
  }
});

test("the second client has events in every state and a paused subscription; both clients still use the legacy API", async () => {
  const [events] = await db.rows<Record<string, number>>(sql`
    SELECT count(*) FILTER (WHERE delivery = 'pending' AND processed_date IS NULL) AS waiting,
      count(*) FILTER (WHERE processed_date IS NOT NULL AND error_content IS NULL) AS processed,
      count(*) FILTER (WHERE error_content IS NOT NULL AND reported_date IS NOT NULL) AS refused,
      count(*) FILTER (WHERE delivery = 'failed' AND failed_date < now() AND status_code = 503) AS undelivered,
      count(*) FILTER (WHERE attempts <> (SELECT count(*) FROM webhook_attempt a WHERE a.published_event_id = published_event.id
        AND a.started_date < now() AND a.status_code IS NOT NULL)) AS uncounted,
      count(*) FILTER (WHERE delivery <> 'pending' AND attempts = 0) AS unattempted,
      count(*) FILTER (WHERE created_date < now() - interval '29 days') AS old,
      (SELECT count(*) FROM subscription WHERE paused_date IS NOT NULL) AS paused,
      (SELECT count(DISTINCT client_id) FROM legacy_usage) AS users
    FROM published_event`);
  expect(events).toEqual({
    waiting: 3,
    processed: 7,
    refused: 2,
    undelivered: 1,
    uncounted: 0,
    unattempted: 0,
    old: 0,
    paused: 1,
    users: 2,
  });
  await sealAll();
  expect((await verifyAudit()).broken).toEqual([]);
});

test("Home, the list of events, the subscriptions and the metrics count the same events", async () => {
  const practices = read().practices.map(({ id }) => id);
  const all = { undelivered: 0, rejected: 0, open: 0 };
  for (const practice of practices) {
    const access = mintAccess({ practices: [practice], actor: { type: "staff", id: 1, name: "Staff" } });
    const listed = async (status: "undelivered" | "rejected" | "waiting") =>
      (await searchEvents(access, { status, order: "-id", offset: 0, limit: 50 })).count;
    const failed = (await countFailedEvents(access)).get(practice) ?? { undelivered: 0, rejected: 0 };
    const subscriptions = await listPracticeSubscriptions(access);
    const sum = (count: "open" | "failed") => subscriptions.reduce((total, one) => total + one[count], 0);
    const [home] = await listPracticeHomes(access);
    expect(home).toMatchObject({ undelivered_events: failed.undelivered, rejected_events: failed.rejected });
    expect([await listed("undelivered"), sum("failed")]).toEqual([failed.undelivered, failed.undelivered]);
    expect(await listed("rejected")).toBe(failed.rejected);
    expect(await listed("waiting")).toBe(sum("open"));
    all.undelivered += failed.undelivered;
    all.rejected += failed.rejected;
    all.open += sum("open");
  }
  expect(all).toEqual({ undelivered: 1, rejected: 2, open: 3 });
  const { due, waiting, paused, sending } = await getDeliveryBacklog();
  expect(due + waiting + paused + sending).toBe(all.open);
});

test("both stores agree on every demo patient, and every card can be read", async () => {
  const patients = await db.rows<{ id: number }>(sql`SELECT id FROM patient ORDER BY id`);
  for (const { id } of patients) await expectStoresAgree(id);
  await expectImagesComplete();
});

test("history is in chronological order", async () => {
  const backwards = await db.rows(sql`
    SELECT b.policy_id, b.version FROM policy_version a
    JOIN policy_version b ON b.policy_id = a.policy_id AND b.version = a.version + 1
    WHERE b.occurred_date < a.occurred_date`);
  expect(backwards).toEqual([]);
});

test("a second run writes nothing and keeps the secrets", async () => {
  const [before, demo] = [await snapshot(), read()];
  await seedDemo(BASE);
  expect(await snapshot()).toEqual(before);
  expect(read()).toEqual(demo);
});

test("if demo.json is lost, the clients get new secrets and the old ones stop working", async () => {
  const lost = read();
  fs.rmSync(file());
  await seedDemo(BASE);
  const demo = read();
  expect(demo.practices).toEqual(lost.practices);
  for (const [at, { client_id, client_secret }] of demo.clients.entries()) {
    expect(lost.clients[at]?.client_id).toBe(client_id);
    expect(await verifyClient(client_id, lost.clients[at]?.client_secret ?? "")).toBeNull();
    expect(await verifyClient(client_id, client_secret)).toBeTruthy();
  }
});

test("demo.json allows webhooks to private addresses only for the database with the demo", async () => {
  const load = async (url: string) => {
    delete process.env.WEBHOOK_ALLOW_PRIVATE;
    const accounts = await loadDemo({ url, ownerUrl: url, embedded: false });
    const allowed = process.env.WEBHOOK_ALLOW_PRIVATE;
    delete process.env.WEBHOOK_ALLOW_PRIVATE;
    return [accounts?.clients.length ?? 0, allowed];
  };
  const text = fs.readFileSync(file(), "utf8");
  const own = process.env.DATABASE_URL as string;
  const other = await cloneDatabase({ server: inject("server"), template: inject("template"), run: inject("run") });
  try {
    expect(await load(own)).toEqual([3, "true"]);
    expect(await load(withLoginOf(own, other.url))).toEqual([0, undefined]);
    for (const broken of ["{", "null", "[]", '{"clients":1}', '{"clients":[null]}', '{"clients":[]}']) {
      fs.writeFileSync(file(), broken);
      expect([broken, await load(own)]).toEqual([broken, [0, undefined]]);
    }
  } finally {
    fs.writeFileSync(file(), text, { mode: 0o600 });
    await other.drop();
  }
});
