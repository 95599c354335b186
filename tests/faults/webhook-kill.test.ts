// One of two workers is killed (SIGKILL) while it delivers webhooks to 20 targets: every event arrives in the order of
// its record, and no attempt is made twice. WEBHOOK_KILL_EVENTS prolongs it, and
// WEBHOOK_KILL_REPORT=true prints figures.
import { afterEach, beforeAll, expect, test } from "vitest";
import { systemOrigin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { type Basics, seedBasics } from "../support/api";
import { ReceiverProcess } from "../support/receiver-process";
import { rounds } from "../support/rounds";
import { eventually, newClient, seedPatients, subscribe } from "../support/webhook-clients";
import { WorkerProcess } from "../support/worker-process";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";
process.env.WEBHOOK_TIMEOUT_MS = "2000";

const TARGETS = 20;
const CLIENTS = 4;
const EVENTS_PER_RECORD = 5;
const RECORDS = Math.ceil(Number(process.env.WEBHOOK_KILL_EVENTS ?? 1_000) / TARGETS / EVENTS_PER_RECORD);
const EVENTS = RECORDS * EVENTS_PER_RECORD * TARGETS;
const ROUNDS = rounds(1);
const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });

let basics: Basics;
let receiver: ReceiverProcess;
let patients: number[];
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  basics = await seedBasics();
  receiver = await ReceiverProcess.start(TARGETS);
  patients = await seedPatients(basics, RECORDS);
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => newClient(basics)));
  await Promise.all(
    receiver.origins.map((origin, at) => subscribe(clients[at % CLIENTS] as (typeof clients)[0], `${origin}/hook`)),
  );
  return () => receiver.stop();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()));
});

async function startWorker(): Promise<WorkerProcess> {
  const worker = await WorkerProcess.start();
  workers.push(worker);
  return worker;
}

async function publishAll(): Promise<void> {
  await transaction(async (tx) => {
    for (let turn = 0; turn < EVENTS_PER_RECORD; turn++) {
      const change = { type: "saved" as const, resource: "patients" as const, ids: patients };
      await publishEvents(tx, { ...change, practiceId: basics.enabled, origin: ORIGIN });
    }
  });
}

async function delivered(after: number): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM published_event WHERE id > ${after} AND delivery = 'delivered'`,
  );
  return row?.count ?? 0;
}

const until = (condition: () => Promise<boolean>) => eventually(async () => (await condition()) || null, 300_000);

/** Lists the events of each record at each target, in the order of their first arrival. */
function firstArrivals(arrivals: readonly { id: string; record: string; eventId: number }[]): Map<string, number[]> {
  const seen = new Set<string>();
  const byRecord = new Map<string, number[]>();
  for (const { id, record, eventId } of arrivals) {
    if (seen.has(id)) continue;
    seen.add(id);
    byRecord.set(record, [...(byRecord.get(record) ?? []), eventId]);
  }
  return byRecord;
}

test(
  `none of ${EVENTS} events is lost and no attempt is repeated when a worker is killed`,
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const last = await db.first<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM published_event`);
      const before = last?.id ?? 0;
      await receiver.reset();
      const [victim, survivor] = await Promise.all([startWorker(), startWorker()]);
      await publishAll();
      const begun = performance.now();
      await until(async () => (await receiver.stats()).requests >= EVENTS / 2);
      const peaks = [victim.peakRssMiB(), 0];
      await victim.kill();
      const atKill = { delivered: await delivered(before), at: performance.now() };
      await until(async () => EVENTS - (await delivered(before)) <= 40);
      const nearEnd = { delivered: await delivered(before), at: performance.now() };
      await until(async () => (await delivered(before)) === EVENTS);
      const wholeMs = performance.now() - begun;
      peaks[1] = survivor.peakRssMiB();
      await survivor.stop();

      const events = await db.rows<{ id: number; event_uuid: string; record: string; attempts: number }>(sql`
      SELECT id, event_uuid, subscription_id || ' ' || resource_id AS record, attempts
      FROM published_event WHERE id > ${before} ORDER BY id`);
      expect(events).toHaveLength(EVENTS);
      const byUuid = new Map(events.map((event) => [event.event_uuid, event]));
      const arrivals = await receiver.arrivals();
      expect(arrivals.filter(([id]) => !byUuid.has(id))).toEqual([]);
      expect(new Set(arrivals.map(([id]) => id)).size).toBe(EVENTS);
      expect(new Set(arrivals.map(([id, attempt]) => `${id} ${attempt}`)).size).toBe(arrivals.length);

      const inOrder = new Map<string, number[]>();
      for (const { id, record } of events) inOrder.set(record, [...(inOrder.get(record) ?? []), id]);
      const arrived = arrivals.map(([id]) => {
        const { record = "", id: eventId = 0 } = byUuid.get(id) ?? {};
        return { id, record, eventId };
      });
      expect(firstArrivals(arrived)).toEqual(inOrder);
      await expectOneGoodAttempt(before);
      const { peakRssMiB } = await receiver.stats();
      report({ round, arrivals: arrivals.length, peaks, peakRssMiB, begun, atKill, nearEnd, wholeMs });
    }
  },
  60_000 + ROUNDS * EVENTS * 20,
);

/** Expects that attempts are numbered without gaps, the last one succeeded, and each earlier one has an error. */
async function expectOneGoodAttempt(after: number): Promise<void> {
  const wrong = await db.rows(sql`
    SELECT e.id, e.attempts FROM published_event e JOIN webhook_attempt a ON a.published_event_id = e.id
    WHERE e.id > ${after} GROUP BY e.id, e.attempts
    HAVING array_agg(a.number ORDER BY a.number) <> (SELECT array_agg(n) FROM generate_series(1, e.attempts) n)
      OR bool_or((a.error IS NULL) <> (a.number = e.attempts)) OR bool_or(a.error IS NULL AND a.status_code <> 200)`);
  expect(wrong).toEqual([]);
}

interface Moment {
  delivered: number;
  at: number;
}

function report(figures: {
  round: number;
  arrivals: number;
  peaks: (number | null)[];
  peakRssMiB: number;
  begun: number;
  atKill: Moment;
  nearEnd: Moment;
  wholeMs: number;
}): void {
  if (process.env.WEBHOOK_KILL_REPORT !== "true") return;
  const { round, arrivals, peaks, peakRssMiB, begun, atKill, nearEnd, wholeMs } = figures;
  const rate = (count: number, ms: number) => Math.round((count * 1000) / ms);
  console.log({
    round,
    eventsPerSecond: rate(atKill.delivered, atKill.at - begun),
    afterTheKill: rate(nearEnd.delivered - atKill.delivered, nearEnd.at - atKill.at),
    wholeSeconds: Math.round(wholeMs / 100) / 10,
    arrivedAgain: arrivals - EVENTS,
    workersPeakMiB: peaks.map((peak) => peak && Math.round(peak)),
    receiverPeakMiB: Math.round(peakRssMiB),
  });
}
