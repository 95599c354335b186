// The clock of a server is ahead: other processes don't wait for its work.
import { afterEach, expect, test } from "vitest";
import { clock, setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { call, MARIA, seedBasics, seedPatient } from "../support/api";
import { createListener } from "../support/webhook-clients";

const AHEAD_MS = 1_800_000;

process.env.STREAM_CONSUMER = "worker";

afterEach(() => setClock());

test("webhooks and replication of its writes are due at once", async () => {
  const basics = await seedBasics();
  await createListener(basics, "https://hooks.example.org/skew");
  const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
  const ahead = clock.now().getTime() + AHEAD_MS;
  setClock({ now: () => new Date(ahead) });
  const created = await call("POST", `patients/${patient}/policies`, {
    token: basics.token,
    body: { ...MARIA, rank: 1 },
  });
  expect(created.status).toBe(201);
  setClock();
  const late = await db.rows(sql`
    SELECT id FROM published_event WHERE next_attempt_date > clock_timestamp()
    UNION ALL SELECT id FROM replication_event WHERE next_attempt_date > clock_timestamp()`);
  expect(late).toEqual([]);
});
