import pg from "pg";
import { config } from "@/lib/config";
import { removeExpiredKeys } from "@/lib/idempotency/commands";
import { log } from "@/lib/log";
import { removeExpiredTokens } from "@/lib/oauth/commands";
import { removeOldEvents } from "./commands";
import { deliverPatient } from "./deliver";
import { STREAM_CHANNEL } from "./outbox";
import { findDuePatients } from "./queries";

export interface Background {
  /** Stops taking events and waits for those in hand. */
  stop(): Promise<void>;
}

const PATIENTS_AT_ONCE = 4;
const HOUSEKEEPING_MS = 3_600_000;

/**
 * The stream's consumer: takes what no other process has delivered - events of writers that died, that are due again, or
 * whose writers leave delivery to workers. Any number may run beside each other: the patient's lock keeps order.
 */
export async function startBackground(options: { listen?: boolean } = {}): Promise<Background> {
  let stopping = false;
  let wake = () => {};
  const round = async () => {
    const patients = await findDuePatients(100);
    await eachAtOnce(patients, PATIENTS_AT_ONCE, async (patientId) => {
      if (!stopping) await deliverPatient(patientId);
    });
    return patients.length;
  };
  const loop = async () => {
    while (!stopping) {
      const found = await round().catch((error: unknown) => {
        log.error({ err: error }, "the stream's consumer will try again");
        return 0;
      });
      if (found > 0 || stopping) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, config().STREAM_POLL_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const listener = options.listen ? await listen(() => wake()) : null;
  const housekeeping = setInterval(() => void tidy(), HOUSEKEEPING_MS).unref();
  void tidy();
  const running = loop();
  return {
    async stop() {
      stopping = true;
      wake();
      clearInterval(housekeeping);
      await listener?.end().catch(() => {});
      await running;
    },
  };
}

/** Hears of new events at once; polling finds them anyway where the connection is lost. */
async function listen(onEvent: () => void): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: config().DATABASE_URL });
  client.on("notification", onEvent);
  client.on("error", (error) => log.warn({ err: error }, "no longer listening for stream events; polling goes on"));
  await client.connect();
  await client.query(`LISTEN ${STREAM_CHANNEL}`);
  return client;
}

async function tidy(): Promise<void> {
  try {
    await removeExpiredKeys();
    await removeExpiredTokens();
    await removeOldEvents();
  } catch (error) {
    log.warn({ err: error }, "housekeeping will try again");
  }
}

async function eachAtOnce<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
