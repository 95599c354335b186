import pg from "pg";
import { config } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { deliverPatient } from "./deliver";
import { REPLICATION_CHANNEL } from "./enqueue";
import { findDuePatients } from "./queries";

const PATIENTS_AT_ONCE = 4;

/**
 * The stream's consumer: takes what no other process has delivered - events of writers that died, that are due again, or
 * whose writers leave delivery to workers. Any number may run beside each other: the patient's lock keeps order.
 */
export async function startConsumer(options: { listen?: boolean } = {}): Promise<Background> {
  let stopping = false;
  const alarm = new WakeableTimer();
  /** How many patients got something delivered: a round that moved nothing is followed by a pause. */
  const round = async () => {
    let moved = 0;
    await eachAtOnce(await findDuePatients(100), PATIENTS_AT_ONCE, async (patientId) => {
      if (!stopping && (await tryDelivery(patientId))) moved++;
    });
    return moved;
  };
  const loop = async () => {
    while (!stopping) {
      const moved = await round().catch((error: unknown) => {
        log.error({ err: error }, "the stream's consumer will try again");
        return 0;
      });
      if (moved === 0 && !stopping) await alarm.sleep(config().STREAM_POLL_MS);
    }
  };
  const listener = options.listen ? await listen(() => alarm.wake()) : null;
  const running = loop();
  return {
    async stop() {
      stopping = true;
      alarm.wake();
      await listener?.end().catch(() => {});
      await running;
    },
  };
}

/** Delivers what a patient has open; one patient's trouble is not another's. */
async function tryDelivery(patientId: number): Promise<boolean> {
  try {
    return (await deliverPatient(patientId)) !== null;
  } catch (error) {
    log.warn({ err: error, patient: patientId }, "a delivery will be tried again");
    return false;
  }
}

/** Hears of new events at once; polling finds them anyway where the connection is lost. */
async function listen(onEvent: () => void): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: config().DATABASE_URL });
  client.on("notification", onEvent);
  client.on("error", (error) => log.warn({ err: error }, "no longer listening for stream events; polling goes on"));
  await client.connect();
  await client.query(`LISTEN ${REPLICATION_CHANNEL}`);
  return client;
}

async function eachAtOnce<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
