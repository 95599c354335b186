// Faults of servers, workers, HAProxy and Redis.
import { setTimeout } from "node:timers/promises";
import { until } from "./until";
import type { Fault, FaultContext } from "./world";

const HANG_MS = 5_000;
/** A conversion shares the machine with the load. */
const CONVERTED_MS = 90_000;

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

/** The largest share of the records after which a conversion is interrupted. */
const LARGEST_SHARE = 0.7;

/** Waits until a conversion has written a random share of its records, so that what fails interrupts it. */
export async function untilPartlyConverted({ conversion, random }: FaultContext): Promise<void> {
  const least = Math.max(1, random() * LARGEST_SHARE * conversion.patients);
  await until(async () => (await conversion.progress()).converted >= least, CONVERTED_MS);
  const { isConverting } = await conversion.progress();
  if (!isConverting) throw new Error("the conversion ended too early: it needs more patients");
}

export const killConversion: Fault = {
  converted: 2_000,
  async inject(context) {
    await untilPartlyConverted(context);
    await killWorkers.inject(context);
  },
};
