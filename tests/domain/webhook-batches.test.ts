// Events that are prepared together: each is read with its own client's rights, and fails alone.
import { beforeAll, beforeEach, expect, test } from "vitest";
import { systemOrigin } from "@/lib/access/identity/access";
import { readRecords } from "@/lib/api/webhook-records/queries";
import { claimEvents } from "@/lib/events/delivery/claim-events";
import { prepareWebhooks } from "@/lib/events/delivery/prepare-webhooks";
import { publishEvents } from "@/lib/events/published/publish-events";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, seedBasics, seedPatient } from "../support/api";
import { newClient, subscribe } from "../support/webhook-clients";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";

const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });

let basics: Basics;
let targets = 0;
beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(() => db.run(sql`UPDATE subscription SET deleted_date = created_date`));

const newPatient = (practice: "enabled" | "disabled") => seedPatient(basics[practice], basics.physicians[practice]);

async function subscribeTo(...practices: number[]): Promise<number> {
  const client = await newClient(basics, practices);
  await subscribe(client, `https://hooks.example.org/${++targets}`);
  return client.id;
}

/** Publishes events of these patients in the enabled practice, and prepares them. */
async function prepare(ids: number[], read = readRecords) {
  const change = { type: "saved" as const, resource: "patients" as const, practiceId: basics.enabled, origin: ORIGIN };
  await transaction((tx) => publishEvents(tx, { ...change, ids }));
  return prepareWebhooks(await claimEvents(100), read);
}

test("each client gets what it may read, even if another client of the batch may read more", async () => {
  const narrow = await subscribeTo(basics.enabled);
  const wide = await subscribeTo(basics.enabled, basics.disabled);
  const [own, other] = [await newPatient("enabled"), await newPatient("disabled")];
  const sizes = new Map<string, number>();
  for (const prepared of await prepare([own, other])) {
    if (!("webhook" in prepared)) throw new Error("a webhook was not prepared");
    const { data } = JSON.parse(prepared.webhook.body);
    expect(data.id).toBe(prepared.event.resource_id);
    sizes.set(`${prepared.event.client_id} ${data.id}`, Object.keys(data).length);
  }
  const whole = sizes.get(`${wide} ${own}`) ?? 0;
  expect(whole).toBeGreaterThan(10);
  expect(sizes).toEqual(
    new Map([
      [`${narrow} ${own}`, whole],
      [`${narrow} ${other}`, 1],
      [`${wide} ${own}`, whole],
      [`${wide} ${other}`, whole],
    ]),
  );
});

test("a record that can't be read fails its own event only", async () => {
  await subscribeTo(basics.enabled);
  const [broken, intact] = [await newPatient("enabled"), await newPatient("enabled")];
  const prepared = await prepare([broken, intact], async (access, resource, ids) => {
    if (ids.includes(broken)) throw new Error("broken");
    return readRecords(access, resource, ids);
  });
  const outcomes = prepared.map((one) => [one.event.resource_id, "outcome" in one ? one.outcome : "sent"]);
  const outcome = { status: null, error: "Not sent: an internal error occurred.", durationMs: 0 };
  expect(new Map(outcomes as [number, unknown][])).toEqual(
    new Map<number, unknown>([
      [broken, outcome],
      [intact, "sent"],
    ]),
  );
});
