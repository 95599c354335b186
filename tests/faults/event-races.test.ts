// Deliveries, clients and staff change the same events at once: no statement fails, and every event ends in a state that the others
// understand.
import { beforeAll, expect, test } from "vitest";
import { systemOrigin } from "@/lib/access/identity/access";
import { claimEvents } from "@/lib/events/delivery/claim-events";
import { type AttemptOutcome, settleAttempt } from "@/lib/events/delivery/settle-attempts";
import { cancelEndedEvents } from "@/lib/events/published/commands";
import { lockDelivery } from "@/lib/events/published/due-events";
import { publishEvents } from "@/lib/events/published/publish-events";
import { pauseSubscription, resumeSubscription } from "@/lib/events/subscriptions/commands";
import { db, type Sql, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { NotFoundError } from "@/lib/platform/errors";
import { type Basics, call, seedBasics } from "../support/api";
import { rounds } from "../support/rounds";
import { type SignedIn, signInAs, staffCallAs } from "../support/staff";
import { type Client, newClient, type Subscription, subscribe } from "../support/webhook-clients";

const SUBSCRIPTIONS = 3;
const RECORDS = 4;
const STEPS = rounds(60);
const CALLERS = 8;
const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });
const DELIVERED: AttemptOutcome = { status: 200, error: null, durationMs: 1 };
const FAILED: AttemptOutcome = { status: 500, error: "HTTP 500.", durationMs: 1 };

let basics: Basics;
let client: Client;
let staff: SignedIn;
let targets = 0;
const subscriptions: Subscription[] = [];

const below = (limit: number) => Math.floor(Math.random() * limit);
const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
const newSubscription = () => subscribe(client, `https://hooks.example.org/races/${targets++}`);

beforeAll(async () => {
  basics = await seedBasics();
  client = await newClient(basics);
  staff = await signInAs("admin", [basics.enabled]);
  for (let at = 0; at < SUBSCRIPTIONS; at++) subscriptions.push(await newSubscription());
});

/** Returns the newest events, which most of the others change, too. */
async function recentEvents(): Promise<number[]> {
  const rows = await db.rows<{ event_id: number }>(sql`SELECT event_id FROM published_event ORDER BY id DESC LIMIT 12`);
  return rows.map(({ event_id }) => event_id);
}

/** Runs a statement as the product runs those on many events. */
const change = (statement: Sql) =>
  transaction(async (tx) => {
    lockDelivery(tx);
    await tx.run(statement);
  });

const ACTIONS = {
  async publish() {
    const ids = Array.from({ length: RECORDS }, (_, at) => at + 1);
    const about = {
      type: "saved" as const,
      resource: "patients" as const,
      practiceId: basics.enabled,
      origin: ORIGIN,
    };
    await transaction((tx) => publishEvents(tx, { ...about, ids }));
  },
  async deliver() {
    const claimed = await claimEvents(6);
    // Some senders are killed.
    const settled = claimed.filter(() => below(4) > 0);
    await Promise.all(settled.map((event) => settleAttempt(event, pick([DELIVERED, FAILED, FAILED, "canceled"]))));
  },
  async endLeases() {
    await change(sql`UPDATE published_event SET lease_until = now() - interval '1 second' WHERE delivery = 'sending'`);
  },
  async giveUp() {
    await change(
      sql`UPDATE published_event SET give_up_date = now(), next_attempt_date = now() WHERE delivery = 'pending'`,
    );
  },
  async retry() {
    const body = { event_ids: await recentEvents() };
    if (body.event_ids.length === 0) return;
    const { status } = await staffCallAs(staff, "POST", `practices/${basics.enabled}/events/retry`, { body });
    expect(status).toBe(200);
  },
  async report() {
    const [eventId] = await recentEvents();
    if (eventId === undefined) return;
    const body = { processed_date: new Date().toISOString(), error_content: pick([null, "no"]), status_code: 200 };
    const path = `published_events/${eventId}`;
    const { status } = await call("PUT", path, { token: client.token, body });
    expect(status).toBe(200);
  },
  async pauseAndResume() {
    const { id } = pick(subscriptions);
    await transaction((tx) => pauseSubscription(tx, id, ORIGIN));
    // Another caller may have resumed or deleted it.
    await resumeSubscription(id, ORIGIN).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
    });
  },
  async replaceSubscription() {
    const at = below(SUBSCRIPTIONS);
    const { id } = subscriptions[at] as Subscription;
    subscriptions[at] = await newSubscription();
    const { status } = await call("DELETE", `subscriptions/${id}`, { token: client.token });
    // Another caller may have deleted it.
    expect([204, 404]).toContain(status);
  },
  async tidy() {
    await cancelEndedEvents();
  },
};
/** Deliveries and retries happen more often than the rest. */
const CHOICES = [...Object.values(ACTIONS), ACTIONS.deliver, ACTIONS.deliver, ACTIONS.deliver, ACTIONS.retry];

test("concurrent changes to events don't fail", async () => {
  const failures: unknown[] = [];
  const act = async () => {
    for (let step = 0; step < STEPS; step++) await pick(CHOICES)().catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: CALLERS }, act));
  expect(failures).toEqual([]);

  // Afterwards, all open events can be delivered.
  await Promise.all(subscriptions.map(({ id }) => resumeSubscription(id, ORIGIN).catch(() => {})));
  await cancelEndedEvents();
  const open = () =>
    db.one<{ count: number }>(
      sql`SELECT count(*) AS count FROM published_event WHERE delivery IN ('pending', 'sending')`,
    );
  expect((await open()).count).toBeGreaterThan(0);
  for (let claims = 0; claims < rounds(1_000) && (await open()).count > 0; claims++) {
    await ACTIONS.endLeases();
    await db.run(sql`UPDATE published_event SET next_attempt_date = now() WHERE delivery = 'pending'`);
    const claimed = await claimEvents(100);
    await Promise.all(claimed.map((event) => settleAttempt(event, DELIVERED)));
  }
  expect((await open()).count).toBe(0);
  const gaps = await db.rows(sql`
  SELECT e.id FROM published_event e LEFT JOIN webhook_attempt a ON a.published_event_id = e.id
  GROUP BY e.id, e.attempts HAVING count(a.number) <> e.attempts OR coalesce(max(a.number), 0) <> e.attempts`);
  expect(gaps, "each attempt is recorded").toEqual([]);
});
