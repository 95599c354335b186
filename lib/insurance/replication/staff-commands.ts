import { auditChange } from "@/lib/access/audit/commands";
import type { Access } from "@/lib/access/identity/access";
import type { Origin } from "@/lib/access/identity/origin";
import { publishEvents } from "@/lib/events/published/publish-events";
import type { LockedPatient } from "@/lib/insurance/patient-write/locked-patient";
import { beginWrite, type PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import { lockPatientForReplication } from "@/lib/insurance/patients/queries";
import { clock } from "@/lib/platform/clock";
import { sql } from "@/lib/platform/db/sql";
import { isRetryable, type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, DomainError, OverloadedError, ValidationError } from "@/lib/platform/errors";
import { erasePolicyFromEvents, markDiscarded, requeueEvent } from "./commands";
import { DeliveryError, deliverNext, deliverWithin } from "./deliver";
import { notifyWorkers } from "./enqueue";
import { findNextEvent, type OpenEvent } from "./queries";
import { reconcileInsurances } from "./reconcile-insurances";
import { reconcilePolicies } from "./reconcile-policies";
import type { ReplicationStatus } from "./schema";
import { findOwnEvent } from "./staff-queries";

interface StaffRequest {
  access: Access;
  origin: Origin;
}

/**
 * Tries an event again, now, and with it what waits behind it: one that was parked, or that waits for its next attempt.
 * Waits a moment for what comes of it.
 *
 * @throws NotFoundError where the practice has no such event
 * @throws ConflictError event_settled, event_blocked
 */
export async function retryEvent(
  { access, origin }: StaffRequest,
  eventId: number,
): Promise<{ status: ReplicationStatus; last_error: string | null }> {
  const patientId = await transaction(async (tx) => {
    const { patient_id: id } = await findOwnEvent(access, eventId, tx);
    const patient = await lockPatientForReplication(tx, id);
    const head = patient && (await findNextEvent(tx, id));
    requireOpen(head, eventId);
    await requeueEvent(tx, eventId);
    await notifyWorkers(tx, id);
    await auditChange(tx, origin, [id]);
    return id;
  });
  await deliverWithin(patientId, eventId).catch(() => false);
  const { status, last_error } = await findOwnEvent(access, eventId);
  return { status, last_error };
}

/** What came of giving an event up. */
export interface Discarded {
  /** Events that waited behind it and were applied. */
  applied: number;
  /** Events that waited behind it and could not be applied without it: what they tell of was carried over as well. */
  given_up: number;
}

/**
 * Gives a parked event up. What waits behind it is applied in order, and then the far side is brought to where the near side
 * - the one that was written - stands now: both agree when this ends. Where the far side can't take that either, nothing
 * happens.
 *
 * @throws ValidationError without a reason
 * @throws NotFoundError where the practice has no such event
 * @throws ConflictError event_settled, event_blocked, event_not_parked, or discard_refused: the two sides would differ
 */
export async function discardEvent({ access, origin }: StaffRequest, eventId: number): Promise<Discarded> {
  if (!origin.reason) throw new ValidationError({ reason: ["Say why: it stays in the audit."] });
  return transaction(async (tx) => {
    const { patient_id: id } = await findOwnEvent(access, eventId, tx);
    const patient = await lockPatientForReplication(tx, id);
    const head = patient && (await findNextEvent(tx, id));
    requireOpen(head, eventId);
    if (head?.status !== "failed" || !patient) {
      throw new ConflictError(
        "event_not_parked",
        "This event is still being tried. Only a failed one can be discarded.",
      );
    }
    await markDiscarded(tx, head.id);
    const behind = await settleBehind(tx, patient);
    const now = clock.now().toISOString();
    const write = beginWrite({ tx, patient, now, origin });
    await matchFarSide(write, [head, ...behind.givenUp]).catch(refuse);
    const { practice_id: practiceId } = patient;
    if (write.change)
      await publishEvents(tx, { type: write.change, resource: "patients", ids: [id], practiceId, origin });
    await auditChange(tx, origin, [id]);
    return { applied: behind.applied, given_up: behind.givenUp.length };
  });
}

function requireOpen(head: OpenEvent | null, eventId: number): void {
  if (head?.id === eventId) return;
  if (!head || head.id > eventId) {
    throw new ConflictError("event_settled", "This event is settled already. Nothing was changed.");
  }
  throw new ConflictError(
    "event_blocked",
    `This event waits behind event ${head.id} of the same patient. Begin there.`,
  );
}

/** Applies what waited, in order. What can't be applied without the event that was given up is given up with it. */
async function settleBehind(tx: Tx, patient: LockedPatient): Promise<{ applied: number; givenUp: OpenEvent[] }> {
  const givenUp: OpenEvent[] = [];
  let applied = 0;
  for (let next = await findNextEvent(tx, patient.id); next; next = await findNextEvent(tx, patient.id)) {
    await tx.run(sql`SAVEPOINT behind`);
    try {
      await deliverNext(tx, patient, []);
      applied++;
    } catch (error) {
      if (!(error instanceof DeliveryError) || passesByItself(error)) throw error;
      await tx.run(sql`ROLLBACK TO SAVEPOINT behind`);
      await markDiscarded(tx, next.id);
      givenUp.push(next);
    }
    await tx.run(sql`RELEASE SAVEPOINT behind`);
  }
  return { applied, givenUp };
}

/** All open events of a patient go the same way: a write of the other side waits until there are none. */
async function matchFarSide(write: PatientWrite, givenUp: readonly OpenEvent[]): Promise<void> {
  if (givenUp[0]?.direction === "patients_to_policies") {
    const emptied = givenUp.some(
      (event) =>
        event.direction === "patients_to_policies" && event.changes.some(({ kind }) => kind === "deactivate_all"),
    );
    return reconcilePolicies(write, { emptied });
  }
  const changes = givenUp.flatMap((event) => (event.direction === "policies_to_patients" ? event.changes : []));
  const removed = changes.filter((change) => change.kind === "remove");
  await reconcileInsurances(write, removed);
  for (const { policy_id } of removed) await erasePolicyFromEvents(write.tx, write.patient.id, policy_id);
}

function passesByItself(error: Error & { cause?: unknown }): boolean {
  return isRetryable(error) || error instanceof OverloadedError || error.cause instanceof OverloadedError;
}

/** The far side refuses the present state for the same reason as the event, most likely. */
function refuse(error: unknown): never {
  if (!(error instanceof Error) || passesByItself(error)) throw error;
  const why = error instanceof DomainError ? error.message : `it answers “${error.message}”`;
  throw new ConflictError(
    "discard_refused",
    `Nothing was changed. Without this event the other side would have to take the record as it stands now, and can't: ${why}. Correct the insurance where it was written, or retry once the cause is mended.`,
    { cause: error },
  );
}
