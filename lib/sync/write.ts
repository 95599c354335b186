import { clock } from "@/lib/clock";
import { type Tx, transaction } from "@/lib/db/transaction";
import { ConflictError } from "@/lib/errors";
import type { Origin } from "@/lib/history/origin";
import type { Access } from "@/lib/oauth/access";
import type { LockedPatient } from "@/lib/patients/lock";
import { lockPatient } from "@/lib/patients/queries";
import type { Direction, StreamPayload } from "./changes";
import { acknowledged, deliverHead } from "./deliver";
import { publish } from "./outbox";
import { openEvents } from "./queries";
import type { Effect, Unit } from "./unit";

/** Who asks for a write on which patient. */
export interface WriteRequest {
  access: Access;
  patientId: number;
  origin: Origin;
  /** Do everything, on both sides, and keep nothing (design §4). */
  dryRun?: boolean;
}

export interface Outcome<T> {
  result: T;
  /** What the write did to policies; on the far side too where it was a dry run. */
  effects: Effect[];
  /** The other side has not acknowledged in time: `Sync-Status: pending`. */
  pending: boolean;
}

/** What a write gives: its result, and what the other side must hear of it (nothing where nothing changed). */
export interface Written<T> {
  result: T;
  payload: StreamPayload | null;
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
  work: (unit: Unit) => Promise<Written<T>>,
): Promise<Outcome<T>> {
  return writeUnit(request, (tx) => lockInStep(tx, request, direction), work);
}

/** As `writePatient`, on a patient that `open` makes in the same transaction. */
export async function writeUnit<T>(
  request: Pick<WriteRequest, "origin" | "dryRun">,
  open: (tx: Tx) => Promise<LockedPatient>,
  work: (unit: Unit) => Promise<Written<T>>,
): Promise<Outcome<T>> {
  const { origin, dryRun = false } = request;
  const done = await transaction(
    async (tx) => {
      const patient = await open(tx);
      const unit: Unit = { tx, patient, now: clock.now().toISOString(), origin, effects: [] };
      const { result, payload } = await work(unit);
      const event = payload && payload.changes.length > 0 ? await publish(unit, payload) : null;
      if (dryRun && event !== null) await deliverHead(tx, patient, unit.effects);
      return { result, effects: unit.effects, patientId: patient.id, event };
    },
    { rollback: dryRun },
  );
  const { result, effects, patientId, event } = done;
  if (dryRun || event === null) return { result, effects, pending: false };
  // The write is committed: whatever happens from here on may delay its other half, but can't make the answer an error.
  const arrived = await acknowledged(patientId, event).catch(() => false);
  return { result, effects, pending: !arrived };
}

/**
 * Locks a patient and brings both sides in step. A write made before the other side's last one has arrived would cross it,
 * and one of the two would be lost: what is under way is applied first. Where that can't be, only writes that queue up
 * behind it may go on.
 */
async function lockInStep(tx: Tx, request: WriteRequest, direction: Direction): Promise<LockedPatient> {
  const patient = await lockPatient(tx, request.access, request.patientId);
  const open = await openEvents(tx, patient.id);
  if (open.every((event) => event.direction === direction)) return patient;
  if (open.some((event) => event.status === "failed")) throw blocked();
  for (const _event of open) await deliverHead(tx, patient, []).catch((cause) => Promise.reject(blocked(cause)));
  return lockPatient(tx, request.access, request.patientId);
}

function blocked(cause?: unknown): ConflictError {
  return new ConflictError(
    "stream_blocked",
    "An earlier change of this patient's insurance has not reached the other side yet. Try again, or ask the practice.",
    { cause, retryAfterSeconds: 5 },
  );
}
