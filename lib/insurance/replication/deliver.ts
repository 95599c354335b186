import type { LockedPatient } from "@/lib/insurance/patient-write/locked-patient";
import { beginWrite, type Effect } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyChange } from "@/lib/insurance/patient-write/replication-payload";
import { applyPolicyChanges } from "@/lib/insurance/patients/apply-policy-changes";
import { lockPatientForReplication } from "@/lib/insurance/patients/queries";
import { applyLegacyChanges } from "@/lib/insurance/policies/apply-legacy-changes";
import { isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { acknowledge, erasePolicyFromEvents, recordFailure } from "./commands";
import { findNextEvent, isSettled, type OpenEvent } from "./queries";

/**
 * Applies the patient's oldest open event to the receiving store and acknowledges it, both in the caller's transaction, so
 * that it is applied exactly once even if the process dies.
 *
 * @returns the event, or null if no event is open or the oldest has failed
 */
export async function deliverNext(
  tx: Tx,
  patient: LockedPatient,
  effects: Effect[],
  options: { respectBackoff?: boolean } = {},
): Promise<OpenEvent | null> {
  const event = await findNextEvent(tx, patient.id);
  if (!event || event.status === "failed") return null;
  const backingOff = event.attempts > 0 && event.next_attempt_date > isoNow();
  if (options.respectBackoff && backingOff) return null;
  const write = { ...beginWrite({ tx, patient, now: event.created_date, origin: event.origin }), effects };
  try {
    if (event.direction === "policies_to_patients") await applyPolicyChanges(write, event.changes);
    else await applyLegacyChanges(write, event.changes);
  } catch (cause) {
    throw new DeliveryError(event.id, cause);
  }
  await acknowledge(tx, event.id);
  if (event.direction === "policies_to_patients") await erasePurged(tx, patient.id, event.changes);
  return event;
}

/** Erases purged policies from events that were still pending when the purge was requested. */
async function erasePurged(tx: Tx, patientId: number, changes: readonly PolicyChange[]): Promise<void> {
  for (const change of changes)
    if (change.kind === "remove") await erasePolicyFromEvents(tx, patientId, change.policy_id);
}

/** An event that the receiving store could not apply. */
export class DeliveryError extends Error {
  readonly eventId: number;
  /** PostgreSQL's error code, from which `transaction` decides whether to retry. */
  readonly code: string | undefined;

  constructor(eventId: number, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "DeliveryError";
    this.eventId = eventId;
    this.code = (cause as { code?: string }).code;
  }
}

/**
 * Delivers the open events of a patient in order, each in its own transaction, until one fails, none is due or `lastId` is
 * reached.
 *
 * @returns the ID of the last event delivered here, or null
 */
export async function deliverPatient(patientId: number, lastId = Number.MAX_SAFE_INTEGER): Promise<number | null> {
  let delivered: number | null = null;
  while (delivered === null || delivered < lastId) {
    try {
      const event = await transaction(async (tx) => {
        const patient = await lockPatientForReplication(tx, patientId);
        return patient && (await deliverNext(tx, patient, [], { respectBackoff: true }));
      });
      if (!event) break;
      delivered = event.id;
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.cause instanceof OverloadedError) throw error;
      log.warn({ err: error.cause, event: error.eventId }, "a replication event could not be applied");
      await recordFailure(error.eventId, error.message);
      break;
    }
  }
  return delivered;
}

/**
 * Waits up to STREAM_WAIT_MS for an event to be applied. A process with an inline consumer delivers the event itself;
 * otherwise it polls until a worker has delivered it.
 *
 * @returns whether the event is acknowledged or discarded
 */
export async function deliverWithin(patientId: number, eventId: number): Promise<boolean> {
  const { STREAM_WAIT_MS: waitMs, STREAM_CONSUMER: consumer } = config();
  if (waitMs === 0) return false;
  if (consumer === "worker") return settledWithin(eventId, waitMs);
  const delivery = deliverPatient(patientId, eventId).catch((error: unknown) => {
    log.warn({ err: error, event: eventId }, "delivery is left to the background consumer");
    return null;
  });
  const delivered = await within(delivery, waitMs);
  return (delivered ?? 0) >= eventId || isSettled(eventId);
}

async function settledWithin(eventId: number, waitMs: number): Promise<boolean> {
  const end = performance.now() + waitMs;
  for (let pauseMs = 5; performance.now() < end; pauseMs = Math.min(pauseMs * 2, 100)) {
    if (await isSettled(eventId)) return true;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return isSettled(eventId);
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
