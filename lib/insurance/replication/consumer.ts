import pg from "pg";
import { config } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { log } from "@/lib/platform/log";
import { deliverPatient } from "./deliver";
import { findDuePatients, REPLICATION_CHANNEL } from "./outbox";

const PATIENTS_AT_ONCE = 4;

/**
 * Starts the background consumer of replication. It delivers the events that their writer did not deliver, and those due for a
 * retry. Several consumers can run at once, because a delivery locks the patient.
 */
export async function startConsumer(options: { listen?: boolean } = {}): Promise<Background> {
  let stopping = false;
  const alarm = new WakeableTimer();
  /** Returns the number of patients with a delivery. If it is zero, the loop pauses. */
  const round = async () => {
    let delivered = 0;
    await forEachConcurrently(await findDuePatients(100), PATIENTS_AT_ONCE, async (patientId) => {
      if (!stopping && (await tryDelivery(patientId))) delivered++;
    });
    return delivered;
  };
  const loop = async () => {
    while (!stopping) {
      const delivered = await round().catch((error: unknown) => {
        log.error({ err: error }, "the replication consumer failed and will retry");
        return 0;
      });
      if (delivered === 0 && !stopping) await alarm.sleep(config().STREAM_POLL_MS);
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

/** Delivers the open events of a patient. A failure is logged and does not affect other patients. */
async function tryDelivery(patientId: number): Promise<boolean> {
  try {
    return (await deliverPatient(patientId)) !== null;
  } catch (error) {
    log.warn({ err: error, patient: patientId }, "a replication delivery failed and will be retried");
    return false;
  }
}

/** Listens for new events. If the connection is lost, polling still finds them. */
async function listen(onEvent: () => void): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: config().DATABASE_URL });
  client.on("notification", onEvent);
  client.on("error", (error) =>
    log.warn({ err: error }, "no longer listening for replication events; polling continues"),
  );
  await client.connect();
  await client.query(`LISTEN ${REPLICATION_CHANNEL}`);
  return client;
}

async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}
