// Faults of servers, workers, HAProxy and Redis, of their clocks, and of the practice's deadline.
import { setTimeout } from "node:timers/promises";
import { db, sql } from "@/lib/platform/db/sql";
import { until } from "./until";
import type { Fault, FaultContext } from "./world";

const HANG_MS = 5_000;
const CONVERTED_MS = 30_000;

/** Sends signals to some programs. */
const signal =
  (name: NodeJS.Signals, choose: (context: FaultContext) => readonly string[]): Fault["inject"] =>
  async (context) => {
    for (const program of choose(context)) context.cluster.programs.get(program)?.signal(name);
  };
const anyOf =
  (kind: string) =>
  ({ random }: FaultContext) => [`${kind}-${random() < 0.5 ? 1 : 2}`];
const bothOf = (kind: string) => () => [`${kind}-1`, `${kind}-2`];

export const killServer: Fault = { inject: signal("SIGKILL", anyOf("web")) };
export const killServers: Fault = { inject: signal("SIGKILL", bothOf("web")) };
export const replaceServer: Fault = { inject: signal("SIGTERM", anyOf("web")) };
export const killWorker: Fault = { inject: signal("SIGKILL", anyOf("worker")) };
export const killWorkers: Fault = { inject: signal("SIGKILL", bothOf("worker")) };
export const killHaproxy: Fault = { inject: signal("SIGKILL", () => ["haproxy"]) };

export const hangRedis: Fault = {
  async inject(context) {
    await signal("SIGSTOP", () => ["redis"])(context);
    await setTimeout(HANG_MS);
    await signal("SIGCONT", () => ["redis"])(context);
  },
};

/** Waits until a conversion has written some of its records, so that what fails interrupts it. */
export async function untilHalfConverted({ conversion }: FaultContext): Promise<void> {
  await until(async () => (await conversion.progress()).converted > 0, CONVERTED_MS);
  const { isConverting } = await conversion.progress();
  if (!isConverting) throw new Error("the conversion ended too early: it needs more patients");
}

export const killConversion: Fault = {
  converted: 2_000,
  async inject(context) {
    await untilHalfConverted(context);
    await killWorkers.inject(context);
  },
};

/** What a server logs when it reports that it is not ready, because its clock is wrong. */
const SKEW = /The clocks of this machine and the database differ/g;
const SKEW_MS = 30_000;
/** Longer than a program takes to read its new clock. */
const CLOCK_MS = 2_000;
/** Each client makes four writes in a round. */
const ROUND = 4;

/** The clock of a program is wrong until `untilNoticed`, and until clients have made more writes. */
const wrongClock = (
  { name, offset }: { name: "web-1" | "worker-1"; offset: string },
  untilNoticed: (context: FaultContext) => Promise<void>,
): Fault => ({
  needs: "clocks",
  async inject(context) {
    const noticed = untilNoticed(context);
    context.clocks?.set(name, offset);
    try {
      await noticed;
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

const wait = () => setTimeout(CLOCK_MS);

export const serverAhead = wrongClock({ name: "web-1", offset: "+1h" }, untilNotReady);
export const serverBehind = wrongClock({ name: "web-1", offset: "-1h" }, untilNotReady);
export const workerAhead = wrongClock({ name: "worker-1", offset: "+1h" }, wait);
export const workerBehind = wrongClock({ name: "worker-1", offset: "-1h" }, wait);

/** Legacy writes are rejected from then on, each in full. */
export const passDeadline: Fault = {
  hasOwnPractice: true,
  async inject({ practice, writers }) {
    await db.run(
      sql`UPDATE practice SET deprecation_mode = 'enforce', deprecation_date = current_date WHERE id = ${practice}`,
    );
    await until(() => writers.every(({ writes }) => writes.some(({ isRejected }) => isRejected)), CONVERTED_MS);
  },
};
