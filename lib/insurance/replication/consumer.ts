import { config } from "@/lib/platform/config";
import { type Background, WakeableTimer } from "@/lib/platform/jobs/background";
import { onWakeUp } from "@/lib/platform/jobs/wake-up";
import { log } from "@/lib/platform/log";
import { DeliveryError, deliverPatient } from "./deliver";
import { findDuePatients, REPLICATION_JOB } from "./outbox";

const PATIENTS_AT_ONCE = 4;
const BATCH_PATIENTS = 100;

/**
 * Starts the background consumer of replication. It delivers the events that their writer did not deliver, and those due for a
 * retry. Several consumers can run at once, because a delivery locks the patient.
 */
export function startConsumer(): Background {
  let stopping = false;
  const timer = new WakeableTimer();
  const stopWaking = onWakeUp(REPLICATION_JOB, () => timer.wake());
  const running = new Set<Promise<void>>();
  /** Patients that are being delivered, and those that pause after a failure. */
  const busy = new Set<number>();
  /** Busy patients that had due events when the loop looked last. They may be newer than what is being delivered. */
  const again = new Set<number>();

  const release = (patientId: number) => {
    busy.delete(patientId);
    if (again.delete(patientId)) timer.wake();
  };
  const start = (patientId: number) => {
    busy.add(patientId);
    const work = tryDelivery(patientId)
      .then((delivered) => {
        if (delivered) release(patientId);
        else setTimeout(release, config().STREAM_POLL_MS, patientId).unref();
      })
      .finally(() => running.delete(work));
    running.add(work);
  };
  /** Returns whether it found work. If it did not, the loop pauses. */
  const round = async () => {
    const due = await findDuePatients(BATCH_PATIENTS);
    const idle = due.filter((patientId) => !busy.has(patientId));
    for (const patientId of due) if (busy.has(patientId)) again.add(patientId);
    for (const patientId of idle) {
      // A patient whose row is locked for long takes one turn; the others go on.
      if (running.size >= PATIENTS_AT_ONCE) await Promise.race(running);
      if (stopping) break;
      start(patientId);
    }
    return idle.length > 0;
  };
  const loop = async () => {
    while (!stopping) {
      const found = await round().catch((error: unknown) => {
        log.error({ err: error }, "the replication consumer failed and will retry");
        return false;
      });
      if (!found && !stopping) await timer.sleep(config().STREAM_POLL_MS);
    }
  };
  const looping = loop();
  return {
    async stop() {
      stopping = true;
      stopWaking();
      timer.wake();
      await looping;
      await Promise.all(running);
    },
  };
}

/** Delivers the open events of a patient. A failure is logged and does not affect other patients. */
async function tryDelivery(patientId: number): Promise<boolean> {
  try {
    return (await deliverPatient(patientId)) !== null;
  } catch (error) {
    const ids = error instanceof DeliveryError ? error.ids : {};
    log.warn({ err: error, patient: patientId, ...ids }, "a replication delivery failed and will be retried");
    return false;
  }
}
