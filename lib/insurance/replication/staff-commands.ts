import { auditChange } from "@/lib/access/audit/commands";
import type { Access, Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import type { LockedPatient, PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { lockPatientForReplication } from "@/lib/insurance/patients/store";
import { clock } from "@/lib/platform/clock";
import { sql } from "@/lib/platform/db/sql";
import { isRetryable, type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, DomainError, OverloadedError, ValidationError } from "@/lib/platform/errors";
import { DeliveryError, deliverNext, deliverWithin } from "./deliver";
import {
  erasePolicyFromEvents,
  findNextEvent,
  markDiscarded,
  type OpenEvent,
  requeueEvent,
  wakeWorkers,
} from "./outbox";
import { reconcileInsurances, reconcilePolicies } from "./reconcile";
import type { ReplicationStatus } from "./schema";
import { getEventState } from "./staff-queries";

interface StaffRequest {
  access: Access;
  origin: Origin;
}

/**
 * Retries a failed or pending event now, and then the events that wait for it. Waits up to STREAM_WAIT_MS for the result.
 *
 * @throws NotFoundError if the practice has no such event
 * @throws ConflictError event_settled, event_blocked
 */
export async function retryEvent(
  { access, origin }: StaffRequest,
  eventId: number,
): Promise<{ status: ReplicationStatus; last_error: string | null }> {
  const patientId = await transaction(async (tx) => {
    const { patient_id: id } = await getEventState(access, eventId, tx);
    const patient = await lockPatientForReplication(tx, id);
    const head = patient && (await findNextEvent(tx, id));
    requireOpen(head, eventId);
    await requeueEvent(tx, eventId);
    wakeWorkers(tx);
    await auditChange(tx, origin, [id]);
    return id;
  });
  await deliverWithin(patientId, eventId, origin).catch(() => false);
  const { status, last_error } = await getEventState(access, eventId);
  return { status, last_error };
}

/** The result of discarding an event. */
export interface Discarded {
  /** Events behind it that were applied. */
  applied: number;
  /** Events behind it that could not be applied without it. They were discarded too, and their changes reconciled. */
  given_up: number;
}

/**
 * Discards a failed event, applies the events behind it in order, and reconciles the receiving store with the store that was
 * written, so that the two agree. If the receiving store can't take the current state either, nothing changes.
 *
 * @throws ValidationError if there is no reason
 * @throws NotFoundError if the practice has no such event
 * @throws ConflictError event_settled, event_blocked, event_not_parked, or discard_refused if the stores would still differ
 */
export async function discardEvent({ access, origin }: StaffRequest, eventId: number): Promise<Discarded> {
  if (!origin.reason) throw new ValidationError({ reason: ["Enter a reason. It is saved in the audit log."] });
  return transaction(async (tx) => {
    const { patient_id: id } = await getEventState(access, eventId, tx);
    const patient = await lockPatientForReplication(tx, id);
    const head = patient && (await findNextEvent(tx, id));
    requireOpen(head, eventId);
    if (head?.status !== "failed" || !patient) {
      throw new ConflictError(
        "event_not_parked",
        "This event is still being retried. Only a failed event can be discarded.",
      );
    }
    await markDiscarded(tx, head.id);
    const behind = await deliverRemaining(tx, patient);
    const now = clock.now().toISOString();
    const write: PatientWrite = { tx, patient, now, origin, effects: [], change: null, replication: null };
    await reconcile(write, [head, ...behind.discarded])
      .then(() => tx.settle())
      .catch(throwDiscardError);
    const { practice_id: practiceId } = patient;
    if (write.change)
      await publishEvents(tx, { type: write.change, resource: "patients", ids: [id], practiceId, origin });
    await auditChange(tx, origin, [id]);
    return { applied: behind.applied, given_up: behind.discarded.length };
  });
}

function requireOpen(head: OpenEvent | null, eventId: number): void {
  if (head?.id === eventId) return;
  if (!head || head.id > eventId) {
    throw new ConflictError("event_settled", "This event was already applied or discarded. Nothing was changed.");
  }
  throw new ConflictError(
    "event_blocked",
    `This event waits for event ${head.id} of the same patient. Retry or discard that event first.`,
  );
}

/** Applies the remaining open events in order. Events that can't be applied without the discarded one are discarded too. */
async function deliverRemaining(tx: Tx, patient: LockedPatient): Promise<{ applied: number; discarded: OpenEvent[] }> {
  const discarded: OpenEvent[] = [];
  let applied = 0;
  for (let next = await findNextEvent(tx, patient.id); next; next = await findNextEvent(tx, patient.id)) {
    await tx.run(sql`SAVEPOINT behind`);
    try {
      await deliverNext(tx, patient, []);
      applied++;
    } catch (error) {
      if (!(error instanceof DeliveryError) || isTransient(error)) throw error;
      await tx.run(sql`ROLLBACK TO SAVEPOINT behind`);
      await markDiscarded(tx, next.id);
      discarded.push(next);
    }
    await tx.run(sql`RELEASE SAVEPOINT behind`);
  }
  return { applied, discarded };
}

/** All open events of a patient have the same direction, because a write of the other store waits until there are none. */
async function reconcile(write: PatientWrite, discarded: readonly OpenEvent[]): Promise<void> {
  if (discarded[0]?.direction === "patients_to_policies") {
    const emptied = discarded.some(
      (event) =>
        event.direction === "patients_to_policies" && event.changes.some(({ kind }) => kind === "deactivate_all"),
    );
    return reconcilePolicies(write, { emptied });
  }
  const changes = discarded.flatMap((event) => (event.direction === "policies_to_patients" ? event.changes : []));
  const removed = changes.filter((change) => change.kind === "remove");
  await reconcileInsurances(write, removed);
  for (const { policy_id } of removed) await erasePolicyFromEvents(write.tx, write.patient.id, policy_id);
}

function isTransient(error: Error): boolean {
  return isRetryable(error) || error instanceof OverloadedError || error.cause instanceof OverloadedError;
}

/** Reports why the receiving store rejected the current state, most likely for the same reason as the event. */
function throwDiscardError(error: unknown): never {
  if (!(error instanceof Error) || isTransient(error)) throw error;
  const why = error instanceof DomainError ? error.message.replace(/\.$/, "") : `“${error.message}”`;
  throw new ConflictError(
    "discard_refused",
    `The event was not discarded, because the other store could not be updated: ${why}. Correct the insurance where it was changed, or fix the cause, then try again.`,
    { cause: error },
  );
}
