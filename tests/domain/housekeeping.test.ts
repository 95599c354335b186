// Housekeeping deletes what is older than its retention setting, in small transactions, and waits for no request.
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { flushClientUse } from "@/lib/access/clients/authenticate";
import { removeOldUsage } from "@/lib/access/clients/commands";
import { removeOldSessions } from "@/lib/access/staff/commands";
import { type Chore, startHousekeeping } from "@/lib/background/housekeeping";
import { removeOldEvents } from "@/lib/insurance/replication/outbox";
import { setClock } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { deleteOlder } from "@/lib/platform/db/delete-older";
import { db, sql } from "@/lib/platform/db/sql";
import { log } from "@/lib/platform/log";
import { removeOldLegacyUsage } from "@/lib/practice/practices/legacy-usage";
import { type Basics, seedBasics } from "@/tests/support/api";
import { owner } from "@/tests/support/owner";
import { forgetProcessState } from "@/tests/support/process-state";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-25T12:00:00Z");
const daysBefore = (days: number) => new Date(NOW - days * DAY_MS).toISOString();

let basics: Basics;
beforeEach(async () => {
  basics = await seedBasics();
  setClock({ now: () => new Date(NOW) });
});
afterEach(() => {
  setClock();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const countKeys = async () => (await db.one<{ n: number }>(sql`SELECT count(*) AS n FROM idempotency_key`)).n;
const insertKeys = (count: number, expires: string) =>
  db.run(sql`
    INSERT INTO idempotency_key (client_id, key, fingerprint, state, lease, leased_until, patients, unnamed, created_date, expires_date)
    SELECT 1, ${expires} || at, '', 'completed', gen_random_uuid(), now(), '{}', '{}', now(), ${expires}::timestamptz
    FROM generate_series(1, ${count}::int) AS at`);

describe("deletion", () => {
  test("takes all rows below the limit, however many, and no others", async () => {
    await insertKeys(2_500, daysBefore(2));
    await insertKeys(3, daysBefore(1));
    expect(await deleteOlder("idempotency_key", "expires_date", daysBefore(1))).toBe(2_500);
    expect(await countKeys()).toBe(3);
    expect(await deleteOlder("idempotency_key", "expires_date", daysBefore(0), sql`key LIKE '%1'`)).toBe(1);
    expect(await countKeys()).toBe(2);
    await deleteOlder("idempotency_key", "expires_date", daysBefore(0));
  });

  test("skips a row that a request has locked, and takes it the next time", async () => {
    await insertKeys(5, daysBefore(2));
    const request = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
    await request.connect();
    try {
      await request.query("BEGIN");
      await request.query("UPDATE idempotency_key SET body = 'x' WHERE key LIKE '%3'");
      expect(await deleteOlder("idempotency_key", "expires_date", daysBefore(1))).toBe(4);
      await request.query("COMMIT");
    } finally {
      await request.end();
    }
    expect(await deleteOlder("idempotency_key", "expires_date", daysBefore(1))).toBe(1);
  });

  test("holds no lock that writers of the table wait for", async () => {
    await insertKeys(3_000, daysBefore(2));
    const request = new pg.Client({ connectionString: process.env.DATABASE_URL as string });
    await request.connect();
    let isDeleting = true;
    const deleting = deleteOlder("idempotency_key", "expires_date", daysBefore(1)).finally(() => {
      isDeleting = false;
    });
    try {
      await request.query("SET lock_timeout = '500ms'");
      for (let at = 0; at < 5 || isDeleting; at++) {
        await request.query(
          `INSERT INTO idempotency_key (client_id, key, fingerprint, state, lease, leased_until, patients, unnamed, created_date, expires_date)
           VALUES (2, $1, '', 'in_flight', gen_random_uuid(), now(), '{}', '{}', now(), now() + interval '1 day')`,
          [`new ${at}`],
        );
        await request.query("UPDATE idempotency_key SET state = 'completed' WHERE client_id = 2 AND key = $1", [
          `new ${at}`,
        ]);
      }
      expect(await deleting).toBe(3_000);
    } finally {
      await request.end();
    }
    await owner.run(sql`DELETE FROM idempotency_key`);
  });

  test.each([
    ["oauth_token", "expires_date"],
    ["idempotency_key", "expires_date"],
    ["staff_session", "seen_date"],
    ["failed_sign_in", "expire"],
    ["replication_event", "acknowledged_date"],
    ["published_event", "created_date"],
    ["client_usage", "day"],
    ["policy_usage", "day"],
    ["legacy_usage", "day"],
  ])(
    "of old rows from %s can use an index that starts with %s and has all rows with a value",
    async (table, column) => {
      const indexes = await owner.rows<{ condition: string | null }>(sql`
      SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index
      WHERE indrelid = ${table}::regclass AND pg_get_indexdef(indexrelid, 1, true) = ${column}`);
      expect([null, `(${column} IS NOT NULL)`]).toContain(indexes[0]?.condition);
    },
  );
});

describe("retention", () => {
  test("keeps daily use for USAGE_RETENTION_DAYS, and the last day of each client", async () => {
    const days = config().USAGE_RETENTION_DAYS;
    // The tokens of `beforeEach` are counted after 5 s at the latest, which could be in the middle of this test.
    await flushClientUse();
    await db.run(sql`DELETE FROM client_usage`);
    for (const [client, ago] of [
      [1, days + 1],
      [1, days],
      [1, 0],
      [2, days + 9],
      [2, days + 5],
    ] as const) {
      const day = daysBefore(ago).slice(0, 10);
      await db.run(
        sql`INSERT INTO client_usage (client_id, day, last_date) VALUES (${client}, ${day}::date, ${daysBefore(ago)})`,
      );
      await db.run(
        sql`INSERT INTO policy_usage (practice_id, client_id, day) VALUES (${basics.enabled}, ${client}, ${day}::date)`,
      );
      await db.run(sql`INSERT INTO legacy_usage (practice_id, client_id, endpoint, day)
        VALUES (${basics.enabled}, ${client}, 'patients.get', ${day}::date)`);
    }
    expect(await removeOldUsage()).toBe(2 + 3);
    expect(await removeOldLegacyUsage()).toBe(3);
    const left = await db.rows(sql`
      SELECT client_id, (${daysBefore(0).slice(0, 10)}::date - day)::int AS ago FROM client_usage ORDER BY 1, 2`);
    expect(left).toEqual([
      { client_id: 1, ago: 0 },
      { client_id: 1, ago: days },
      { client_id: 2, ago: days + 5 },
    ]);
  });

  test("keeps replication events for REPLICATION_RETENTION_DAYS, and those that are not settled", async () => {
    const days = config().REPLICATION_RETENTION_DAYS;
    for (const [status, ago] of [
      ["acknowledged", days + 1],
      ["discarded", days + 1],
      ["acknowledged", days - 1],
      ["failed", null],
      ["pending", null],
    ] as const)
      await db.run(sql`
        INSERT INTO replication_event (patient_id, practice_id, direction, kind, origin, status, next_attempt_date, created_date,
          acknowledged_date)
        VALUES (1, ${basics.enabled}, 'policies_to_patients', 'update', '{}', ${status}::replication_status, now(), ${daysBefore(999)},
          ${ago === null ? null : daysBefore(ago)})`);
    expect(await removeOldEvents()).toBe(2);
    const left = await db.rows(
      sql`SELECT status FROM replication_event WHERE practice_id = ${basics.enabled} ORDER BY id`,
    );
    expect(left).toEqual([{ status: "acknowledged" }, { status: "failed" }, { status: "pending" }]);
  });

  test("keeps ended sessions as long as the audit", async () => {
    const { id } = await owner.one<{ id: number }>(sql`
      INSERT INTO staff_user (organization_id, email, name, password_hash, role)
      SELECT organization_id, 'kept@example.org', 'Kept', '', 'staff' FROM practice WHERE id = ${basics.enabled} RETURNING id`);
    const days = config().AUDIT_RETENTION_DAYS;
    for (const ago of [days + 1, days - 1])
      await db.run(sql`
        INSERT INTO staff_session (id, user_id, created_date, seen_date, ended_date)
        VALUES (gen_random_uuid(), ${id}, ${daysBefore(ago)}, ${daysBefore(ago)}, ${daysBefore(ago)})`);
    expect(await removeOldSessions()).toBe(1);
  });
});

describe("a process", () => {
  const MINUTES_5 = 300_000;
  let done: string[];
  const daily: readonly Chore[] = [];
  const begin = (often: readonly Chore[]) => startHousekeeping({ often, daily });
  const short: Chore = async () => done.push("short");
  beforeEach(async () => {
    done = [];
    setClock();
    await forgetProcessState();
  });

  test("aborts the current chore when it stops, and skips the others", async () => {
    const long: Chore = async ({ signal }) => {
      done.push("begun");
      await once(signal, "abort");
      done.push("stopped");
    };
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const housekeeping = begin([short, long, short]);
    vi.advanceTimersByTime(MINUTES_5);
    await expect.poll(() => done).toEqual(["short", "begun"]);
    await housekeeping.stop();
    vi.advanceTimersByTime(MINUTES_5);
    await setTimeout(10);
    expect(done).toEqual(["short", "begun", "stopped"]);
  });

  test("that stops waits five seconds at most for a chore", async () => {
    const endless: Chore = () => new Promise(() => done.push("begun"));
    const housekeeping = begin([endless]);
    await expect.poll(() => done).toEqual(["begun"]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stopping = housekeeping.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    await stopping;
  });

  test("whose clock is wrong does nothing until it is correct, and says so once", async () => {
    const lines = vi.spyOn(log, "warn");
    const warnings = () => lines.mock.calls.filter(([, message]) => String(message).startsWith("housekeeping waits"));
    setClock({ now: () => new Date(Date.now() + 3_600_000) });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const housekeeping = begin([short, short]);
    vi.advanceTimersByTime(MINUTES_5);
    await expect.poll(warnings).toHaveLength(1);
    setClock();
    // The result of the check is reused for a second.
    await setTimeout(1_100);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(MINUTES_5);
    await expect.poll(() => done).toEqual(["short", "short"]);
    await housekeeping.stop();
    expect(warnings()).toEqual([
      [{ clock: "The clocks of this machine and the database differ by 3600 s." }, expect.any(String)],
    ]);
  });
});
