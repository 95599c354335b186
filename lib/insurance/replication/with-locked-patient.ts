import { auditChange } from "@/lib/access/audit/commands";
import type { Access } from "@/lib/access/identity/access";
import type { Origin } from "@/lib/access/identity/origin";
import { publishEvents } from "@/lib/events/published/publish-events";
import type { LockedPatient } from "@/lib/insurance/patient-write/locked-patient";
import type { Effect, PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { Direction, ReplicationPayload } from "@/lib/insurance/patient-write/replication-payload";
import { lockPatient } from "@/lib/insurance/patients/queries";
import { clock } from "@/lib/platform/clock";
import { sql } from "@/lib/platform/db/sql";
import { isRetryable, type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, OverloadedError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { acknowledged, DeliveryError, deliverNext } from "./deliver";
import { publish } from "./enqueue";
import { listOpenEvents } from "./queries";

/** Who asks for a write on which patient. */
export interface WriteRequest {
  access: Access;
  patientId: number;
  origin: Origin;
  /** Do everything, on both sides, and keep nothing (design §4). */
  dryRun?: boolean;
}

/** What a write gives: its result, and what the other side must hear of it (nothing where nothing changed). */
export interface Written<T> {
  result: T;
  payload: ReplicationPayload | null;
}

/**
 * One write on one side of the stream: locks the patient, brings both sides to the same state, runs `work`, publishes what
 * it did in the same transaction, then waits for the other side's acknowledgement (design §1, §7).
 *
 * @throws NotFoundError where the caller may not see the patient
 * @throws ConflictError stream_blocked, where events of the other side can't be applied first
 */
export async function writePatient<T>(
  request: WriteRequest,
  direction: Direction,
  work: (write: PatientWrite) => Promise<Written<T>>,
): Promise<WriteOutcome<T>> {
  return writeUnit(request, (tx) => lockInStep(tx, request, direction), work);
}

/**
 * As `writePatient`, for a write that brings both sides to where they are to stand by itself: it publishes nothing to the
 * stream, and what the stream has under way for this patient is applied before.
 */
export async function writeBothSides<T>(
  request: WriteRequest,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  return writeUnit(
    request,
    (tx) => lockInStep(tx, request, null),
    async (write) => ({ result: await work(write), payload: null }),
  );
}

/** As `writePatient`, on a patient that `open` makes in the same transaction. */
export async function writeUnit<T>(
  request: Pick<WriteRequest, "origin" | "dryRun">,
  open: (tx: Tx) => Promise<LockedPatient>,
  work: (write: PatientWrite) => Promise<Written<T>>,
): Promise<WriteOutcome<T>> {
  const { origin, dryRun = false } = request;
  const done = await transaction(
    async (tx) => {
      const patient = await open(tx);
      const write: PatientWrite = { tx, patient, now: clock.now().toISOString(), origin, effects: [], change: null };
      const { result, payload } = await work(write);
      const event = payload && payload.changes.length > 0 ? await publish(write, payload) : null;
      const arrived = !dryRun || event === null || (await rehearseDelivery(write, event));
      await tell(write);
      return { result, effects: write.effects, patientId: patient.id, event, arrived };
    },
    { rollback: dryRun },
  );
  const { result, effects, patientId, event } = done;
  if (dryRun || event === null) return { result, effects, pending: !done.arrived };
  // The write is committed: whatever happens from here on may delay its other half, but can't make the answer an error.
  const acknowledgedInTime = await acknowledged(patientId, event).catch(() => false);
  return { result, effects, pending: !acknowledgedInTime };
}

/** Those who subscribed to patients hear of what was done; the audit comes last, for it holds up the practice's others. */
async function tell({ tx, patient, origin, change }: PatientWrite): Promise<void> {
  const { id, practice_id: practiceId } = patient;
  if (change) await publishEvents(tx, { type: change, resource: "patients", ids: [id], practiceId, origin });
  await auditChange(tx, origin, [id]);
}

/**
 * Locks a patient and brings both sides in step. A write made before the other side's last one has arrived would cross it,
 * and one of the two would be lost: what is under way is applied first. Where that can't be, only writes that queue up
 * behind it may go on.
 *
 * @param direction which events a write may queue up behind; null: none
 */
async function lockInStep(tx: Tx, request: WriteRequest, direction: Direction | null): Promise<LockedPatient> {
  const patient = await lockPatient(tx, request.access, request.patientId);
  const open = await listOpenEvents(tx, patient.id);
  if (open.every((event) => event.direction === direction)) return patient;
  if (open.some((event) => event.status === "failed")) throw blocked();
  for (const _event of open) await deliverNext(tx, patient, []).catch(refuse);
  return lockPatient(tx, request.access, request.patientId);
}

/**
 * What delivery will do to the far side, in a dry run: earlier events of the patient first, whose effects are not this
 * write's. Where one of them can't be applied, the real write would answer `Sync-Status: pending`.
 *
 * @returns whether the write's own event arrived
 */
async function rehearseDelivery(write: PatientWrite, eventId: number): Promise<boolean> {
  const { tx, patient } = write;
  await tx.run(sql`SAVEPOINT far_side`);
  try {
    for (;;) {
      const effects: Effect[] = [];
      const event = await deliverNext(tx, patient, effects);
      if (event?.id === eventId) write.effects.push(...effects);
      if (!event || event.id === eventId) return event !== null;
    }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    await tx.run(sql`ROLLBACK TO SAVEPOINT far_side`);
    return false;
  }
}

/** A deadlock or a missing connection passes by itself and stays what it is; anything else blocks this patient's stream. */
function refuse(error: unknown): never {
  if (!(error instanceof DeliveryError) || isRetryable(error)) throw error;
  if (error.cause instanceof OverloadedError) throw error.cause;
  log.warn({ err: error.cause, event: error.eventId }, "a write waits for an event that can't be applied");
  throw blocked(error);
}

function blocked(cause?: unknown): ConflictError {
  return new ConflictError(
    "stream_blocked",
    "An earlier change of this patient's insurance has not reached the other side yet. Try again, or ask the practice.",
    { cause, retryAfterSeconds: 5 },
  );
}
