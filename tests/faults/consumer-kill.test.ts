// The process of the replication consumer is killed (SIGKILL) four times during 250 events: none is lost or
// applied twice, and the order of each patient is kept.
import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, beforeAll, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { programOf } from "@/scripts/lib/programs.mjs";
import { type Basics, call, MARIA, seedBasics, seedPatient } from "../support/api";
import { rounds } from "../support/rounds";
import { expectStoresAgree } from "../support/stores";

process.env.STREAM_CONSUMER = "worker";
process.env.STREAM_WAIT_MS = "0";

const PATIENTS = 25;
const EVENTS_EACH = 10;
const EVENTS = PATIENTS * EVENTS_EACH;
const KILLS = rounds(4);

let basics: Basics;
const workers = new Set<ChildProcess>();

beforeAll(async () => {
  basics = await seedBasics();
});
afterEach(() => {
  for (const worker of workers) worker.kill("SIGKILL");
});

function startWorker(): ChildProcess {
  const worker = spawn(process.execPath, [programOf("worker.ts")], {
    env: { ...process.env, STREAM_POLL_MS: "20" },
    stdio: "ignore",
  });
  workers.add(worker);
  worker.once("exit", () => workers.delete(worker));
  return worker;
}

async function acknowledgedAfter(firstId: number): Promise<number> {
  const row = await db.first<{ count: number }>(
    sql`SELECT count(*) AS count FROM replication_event WHERE id > ${firstId} AND status = 'acknowledged'`,
  );
  return row?.count ?? 0;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function lastEventId(): Promise<number> {
  return (await db.first<{ id: number }>(sql`SELECT coalesce(max(id), 0) AS id FROM replication_event`))?.id ?? 0;
}

/** Writes the events: a policy and nine updates of it for each patient, patients concurrently. */
async function publishEvents(): Promise<number[]> {
  const patients = await Promise.all(
    Array.from({ length: PATIENTS }, () => seedPatient(basics.enabled, basics.physicians.enabled)),
  );
  await Promise.all(
    patients.map(async (patient) => {
      const path = `patients/${patient}/policies`;
      const options = { token: basics.token };
      const created = await call("POST", path, { ...options, body: { ...MARIA, rank: 1, member_id: "M0" } });
      for (let at = 1; at < EVENTS_EACH; at++) {
        const body = { ...MARIA, member_id: `M${at}` };
        const put = await call("PUT", `${path}/${created.body.id}`, { ...options, body });
        expect([put.status, put.headers.get("sync-status")]).toEqual([200, "pending"]);
      }
    }),
  );
  return patients;
}

test(`a consumer killed ${KILLS} times during ${EVENTS} events applies each event once, in order`, async () => {
  let killedInTheMiddle = 0;
  for (let round = 0; round < KILLS; round++) {
    const before = await lastEventId();
    const patients = await publishEvents();
    const victim = startWorker();
    const target = 1 + Math.floor(Math.random() * (EVENTS - 150));
    await until(async () => (await acknowledgedAfter(before)) >= target);
    victim.kill("SIGKILL");
    const atKill = await acknowledgedAfter(before);
    if (atKill > 0 && atKill < EVENTS) killedInTheMiddle++;
    const successor = startWorker();
    await until(async () => (await acknowledgedAfter(before)) === EVENTS);
    successor.kill("SIGTERM");

    const events = await db.rows<{ patient_id: number; attempts: number; request: string }>(sql`
      SELECT patient_id, attempts, origin->>'requestId' AS request FROM replication_event WHERE id > ${before} ORDER BY id`);
    expect(events).toHaveLength(EVENTS);
    expect(new Set(events.map(({ attempts }) => attempts))).toEqual(new Set([1]));
    for (const patient of patients) {
      // Each applied event leaves one version of the patient: as many as events, in the order they were written.
      const applied = await db.rows<{ request: string }>(
        sql`SELECT request_id AS request FROM patient_version WHERE patient_id = ${patient} ORDER BY version`,
      );
      const written = events.filter(({ patient_id }) => patient_id === patient);
      expect(applied.map(({ request }) => request)).toEqual(written.map(({ request }) => request));
      await expectStoresAgree(patient);
    }
  }
  expect(killedInTheMiddle).toBe(KILLS);
});
