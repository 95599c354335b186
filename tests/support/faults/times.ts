// Faults of clocks, and the deadline of a practice.
import { db, sql } from "@/lib/platform/db/sql";
import { type ClockName, OTHERS } from "./clocks";
import { asOwner } from "./databases";
import { readEnvironment } from "./environment";
import { rejectWebhooks } from "./stores";
import { until } from "./until";
import type { Fault, FaultContext } from "./world";

/** What a server logs when it reports that it is not ready, because its clock is wrong. */
const SKEW = /The clocks of this machine and the database differ/g;
const SKEW_MS = 30_000;
/** Much longer than a program takes to read its new clock. */
const CLOCK_MS = 30_000;
/** Responses have the time to the second, and a busy machine sends them late. */
const PRECISION_MS = 60_000;
const HOUR_MS = 3_600_000;
const OFFSETS = { "+1h": HOUR_MS, "-1h": -HOUR_MS, "+0": 0 };
/** Each client makes four writes in a round. */
const ROUND = 4;

/** Waits until a program has a clock that is wrong by so much, as its responses show. */
async function untilClock(
  { readClockOffset }: FaultContext,
  name: ClockName,
  offset: keyof typeof OFFSETS,
): Promise<void> {
  const isClose = (found: number) => Math.abs(found - OFFSETS[offset]) < PRECISION_MS;
  await until(async () => isClose(await readClockOffset(name)), CLOCK_MS, `the clock of ${name} is not ${offset}`);
}

/** Sets the clock of a program, and requires that the other one of its kind keeps the right time. */
async function setClock(context: FaultContext, name: ClockName, offset: keyof typeof OFFSETS): Promise<void> {
  context.clocks?.set(name, offset);
  await untilClock(context, name, offset);
  const other = await context.readClockOffset(OTHERS[name]);
  if (Math.abs(other) >= PRECISION_MS) throw new Error(`the clock of ${OTHERS[name]} is wrong, too`);
}

/** The clock of a program is wrong until that is noticed, if it can be, and until clients have made more writes. */
const wrongClock = (
  { name, offset }: { name: ClockName; offset: keyof typeof OFFSETS },
  untilNoticed?: (context: FaultContext) => Promise<void>,
): Fault => ({
  needs: "clocks",
  async inject(context) {
    // An earlier round has set it right.
    await untilClock(context, name, "+0");
    const noticed = untilNoticed?.(context);
    try {
      await Promise.all([setClock(context, name, offset), noticed]);
      await context.untilWritten(ROUND);
    } finally {
      context.clocks?.set(name, "+0");
    }
  },
});

/** The server reports that it is not ready, so that HAProxy sends requests to the other one. */
async function untilNotReady({ readLog }: FaultContext): Promise<void> {
  const count = () => readLog("web-1").match(SKEW)?.length ?? 0;
  const before = count();
  await until(() => count() > before, SKEW_MS);
}

export const serverAhead = wrongClock({ name: "web-1", offset: "+1h" }, untilNotReady);
export const serverBehind = wrongClock({ name: "web-1", offset: "-1h" }, untilNotReady);
export const workerAhead = wrongClock({ name: "worker-1", offset: "+1h" });
export const workerBehind = wrongClock({ name: "worker-1", offset: "-1h" });

/** How often replication must have failed to an event, and how long that takes at most. */
const ATTEMPTS = 2;
const ATTEMPTS_MS = 30_000;

/** The next attempts of webhooks and of replication are due when the worker's clock says so, which must not be an hour later. */
const wrongClockOfRetries = (offset: keyof typeof OFFSETS): Fault => ({
  needs: "clocks",
  async inject(context) {
    await untilClock(context, "worker-1", "+0");
    try {
      await setClock(context, "worker-1", offset);
      await asOwner(context, (owner) => owner.query(FAIL_REPLICATION));
      try {
        await Promise.all([rejectWebhooks.inject(context), until(hasRetried, ATTEMPTS_MS)]);
      } finally {
        await asOwner(context, (owner) => owner.query("DROP FUNCTION fail_replication CASCADE"));
      }
    } finally {
      context.clocks?.set("worker-1", "+0");
    }
  },
});

const FAIL_REPLICATION = `
  CREATE FUNCTION fail_replication() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'replication fails'; END $$;
  CREATE TRIGGER fail_replication BEFORE INSERT ON patient_version FOR EACH ROW WHEN (NEW.source = 'policies_api')
    EXECUTE FUNCTION fail_replication()`;

async function hasRetried(): Promise<boolean> {
  const { attempts } = await db.one<{ attempts: number | null }>(
    sql`SELECT max(attempts) AS attempts FROM replication_event WHERE status = 'pending'`,
  );
  return (attempts ?? 0) >= ATTEMPTS;
}

export const retriesAhead = wrongClockOfRetries("+1h");
export const retriesBehind = wrongClockOfRetries("-1h");

const DEADLINE_MS = 30_000;
const DAY_MS = 86_400_000;

/** Legacy writes are rejected from then on, each in full. */
export const passDeadline: Fault = {
  deadline: "passes",
  async inject({ practice, writers }) {
    await db.run(
      sql`UPDATE practice SET deprecation_mode = 'enforce', deprecation_date = current_date WHERE id = ${practice}`,
    );
    const passed = performance.now();
    await until(() => writers.every(({ writes }) => writes.some(({ isRejected }) => isRejected)), DEADLINE_MS);
    const later = writers.flatMap(({ writes }) => writes.filter(({ began }) => began > passed));
    const accepted = later.filter(
      ({ kind, acknowledged, isRejected }) => kind === "edited" && acknowledged && !isRejected,
    );
    if (accepted.length > 0) throw new Error(`${accepted.length} legacy writes were accepted after the deadline`);
  },
};

/** A server's clock passes the deadline. Until HAProxy avoids the server, it rejects legacy writes, and the other one accepts them. */
export const passDeadlineEarly: Fault = {
  needs: "clocks",
  deadline: "passes on one server",
  async inject(context) {
    const { practice, cluster, clocks, writers, token } = context;
    await db.run(
      sql`UPDATE practice SET deprecation_mode = 'enforce', deprecation_date = ${dayAfter(1)} WHERE id = ${practice}`,
    );
    const ask = async (name: string) => {
      const { PORT } = readEnvironment(cluster.programs.get(name)?.pid);
      const response = await fetch(`http://127.0.0.1:${PORT}/api/2.0/patients/${writers[0]?.patient}?dry_run=true`, {
        method: "PATCH",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ insurances: [{ rank: "secondary" }] }),
      });
      const { code } = await response.json();
      return code === "legacy_insurances_deprecated";
    };
    const untilRejected = (isRejected: boolean) => until(async () => (await ask("web-1")) === isRejected, DEADLINE_MS);
    const noticed = untilNotReady(context);
    // The first second of that day, and a minute.
    const offset = Math.ceil((Date.parse(dayAfter(1)) - Date.now()) / 1_000) + 60;
    clocks?.set("web-1", `+${offset}s`);
    try {
      await untilRejected(true);
      if (await ask("web-2")) throw new Error("the server with the right clock rejects legacy writes");
      await noticed;
      await context.untilWritten(ROUND);
    } finally {
      clocks?.set("web-1", "+0");
    }
    await untilRejected(false);
  },
};

/** Returns the date in so many days, `YYYY-MM-DD` in UTC. */
const dayAfter = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
