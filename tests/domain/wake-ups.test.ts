// What wakes background jobs: commits with work for them in the same process, notifications in others.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemOrigin } from "@/lib/access/identity/access";
import { DELIVERY_JOB } from "@/lib/events/published/due-events";
import { publishEvents } from "@/lib/events/published/publish-events";
import { deliverPatient } from "@/lib/insurance/replication/deliver";
import { REPLICATION_JOB } from "@/lib/insurance/replication/outbox";
import { config } from "@/lib/platform/config";
import { db, sql } from "@/lib/platform/db/sql";
import { transaction } from "@/lib/platform/db/transaction";
import { listenForWakeUps, onWakeUp } from "@/lib/platform/jobs/wake-up";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { createListener, eventually } from "../support/webhook-clients";

// Only workers replicate, and none runs here.
process.env.STREAM_CONSUMER = "worker";
process.env.STREAM_WAIT_MS = "0";
process.env.WEBHOOK_ALLOW_PRIVATE = "true";

const ORIGIN = systemOrigin({ name: "Test", source: "seed", operation: "tests.publish" });

let basics: Basics;
let woken = 0;
const takeWoken = () => {
  const count = woken;
  woken = 0;
  return count;
};

beforeAll(async () => {
  basics = await seedBasics();
});
beforeEach(async () => {
  await db.run(sql`UPDATE subscription SET deleted_date = created_date`);
  woken = 0;
});

const newPatient = () => seedPatient(basics.enabled, basics.physicians.enabled);

async function publish(patient: number, options = {}): Promise<void> {
  const change = { type: "saved" as const, resource: "patients" as const, practiceId: basics.enabled, origin: ORIGIN };
  await transaction((tx) => publishEvents(tx, { ...change, ids: [patient] }), options);
}

describe("in the process of the delivery", () => {
  let stopWaking: () => void;
  beforeAll(() => {
    stopWaking = onWakeUp(DELIVERY_JOB, () => woken++);
  });
  afterAll(() => stopWaking());

  test("a commit that publishes events wakes it; one without subscribers and a dry run do not", async () => {
    const patient = await newPatient();
    await publish(patient);
    expect(takeWoken()).toBe(0);
    await createListener(basics, "https://hooks.example.org/woken");
    await publish(patient, { rollback: true });
    expect(takeWoken()).toBe(0);
    await publish(patient);
    expect(takeWoken()).toBe(1);
  });

  test("replication of a patient wakes it if a webhook waits for that, and only then", async () => {
    const [first, second] = [await newPatient(), await newPatient()];
    const write = (patient: number) =>
      call("POST", `patients/${patient}/policies`, { token: basics.token, body: { ...MARIA, rank: 1 } });
    await write(first);
    await createListener(basics, "https://hooks.example.org/replicated");
    await deliverPatient(first);
    expect(takeWoken()).toBe(0);
    await write(second);
    expect(takeWoken()).toBe(1);
    await deliverPatient(second);
    expect(takeWoken()).toBe(1);
  });
});

describe("other processes", () => {
  test("are notified of events and of changes to replicate, and not if there are none", async () => {
    const heard: string[] = [];
    const listener = new pg.Client({ connectionString: config().DATABASE_URL });
    await listener.connect();
    listener.on("notification", ({ channel }) => heard.push(channel));
    await listener.query(`LISTEN ${DELIVERY_JOB}; LISTEN ${REPLICATION_JOB}`);
    const patient = await newPatient();
    await publish(patient);
    const body = { ...MARIA, rank: 1 };
    expect((await call("POST", `patients/${patient}/policies`, { token: basics.token, body })).status).toBe(201);
    await eventually(async () => heard.includes(REPLICATION_JOB) || null);
    expect(heard).not.toContain(DELIVERY_JOB);
    await createListener(basics, "https://hooks.example.org/notified");
    await publish(patient);
    await eventually(async () => heard.includes(DELIVERY_JOB) || null);
    await listener.end();
  });

  test("wake their job, also for what they missed while their connection was lost", async () => {
    const job = "crosswalk_test";
    const listening = await listenForWakeUps([job]);
    const stopWaking = onWakeUp(job, () => woken++);
    await db.run(sql`SELECT pg_notify(${job}, '')`);
    await eventually(async () => takeWoken() === 1 || null);
    await db.run(sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE ${`%${job}%`} AND pid <> pg_backend_pid()`);
    await eventually(async () => takeWoken() === 1 || null);
    await db.run(sql`SELECT pg_notify(${job}, '')`);
    await eventually(async () => takeWoken() === 1 || null);
    stopWaking();
    await listening.stop();
  });
});
