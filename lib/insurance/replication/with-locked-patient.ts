import { auditPatientChange } from "@/lib/access/audit/commands";
import type { PolicyEffect } from "@/lib/access/endpoints/policy-effect";
import type { Access, Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import type { LockedPatient, PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { lockPatient, preloadInsurances } from "@/lib/insurance/patients/store";
import { preloadPolicies } from "@/lib/insurance/policies/store";
import { isoNow } from "@/lib/platform/clock";
import { config } from "@/lib/platform/config";
import { sql } from "@/lib/platform/db/sql";
import { isRetryable, type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, OutcomeUnknownError, OverloadedError } from "@/lib/platform/errors";
import type { Reply } from "@/lib/platform/http/response";
import { log, originIds } from "@/lib/platform/log";
import { applyChanges, DeliveryError, deliverNext, deliverWithin, erasePurged } from "./deliver";
import { enqueueReplication, listOpenEvents, recordApplied } from "./outbox";

/** The caller and the patient of a write. */
export interface WriteRequest {
  access: Access;
  patientId: number;
  origin: Origin;
  /** Runs the write in both stores and rolls it back. */
  dryRun?: boolean;
}

/** The store that a write changes. Replication updates the other one, unless the write changes both. */
export type WrittenStore = "policies" | "patients" | "both";

/**
 * Runs a write on one patient. In one transaction, it locks the patient, applies the pending replication events of the other
 * store, runs `work`, applies the changes that `work` put into `write.replication` to the other store, publishes the change and
 * audits it. If this process has no consumer, earlier changes are still queued, or the other store can't take the changes, they
 * stay queued: after the commit, the write waits up to STREAM_WAIT_MS for the other store to apply them.
 *
 * @param store the store that `work` changes
 * @throws NotFoundError if the patient does not exist or the caller has no access to it
 * @throws ConflictError stream_blocked, if an earlier change from the other store can't be applied
 */
export async function withLockedPatient<T>(
  request: WriteRequest,
  store: WrittenStore,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  return runWrite(request, (tx) => lockUpToDate(tx, request, store), work);
}

/** Runs the write that creates a patient, like `withLockedPatient` for an existing one. `insert` inserts the row. */
export async function withNewPatient<T>(
  request: Omit<WriteRequest, "patientId">,
  insert: (tx: Tx) => Promise<LockedPatient>,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  return runWrite(request, async (tx) => ({ patient: await insert(tx), isQueued: false }), work);
}

interface Locked {
  patient: LockedPatient;
  /** Earlier changes for the other store are still queued. */
  isQueued: boolean;
}

async function runWrite<T>(
  { origin, dryRun = false }: Pick<WriteRequest, "origin" | "dryRun">,
  lock: (tx: Tx) => Promise<Locked>,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  const once = (applying: Applying) =>
    transaction(
      async (tx) => {
        applying.hasBegun = false;
        const { patient, isQueued } = await lock(tx);
        const write: PatientWrite = {
          tx,
          patient,
          now: isoNow(),
          origin,
          effects: [],
          change: null,
          replication: null,
        };
        const result = await work(write);
        const eventId = await replicate(write, { isQueued, dryRun, applying });
        const arrives = !dryRun || eventId === null || (isQueued && (await rehearseDelivery(write, eventId)));
        await publishAndAudit(write);
        return { result, effects: write.effects, patientId: patient.id, eventId, arrives };
      },
      { rollback: dryRun },
    );
  const applying: Applying = { isAllowed: true, hasBegun: false };
  const done = await once(applying).catch((error: unknown) => {
    const isUnavailable = error instanceof OverloadedError || error instanceof OutcomeUnknownError;
    if (!applying.hasBegun || isUnavailable) throw error;
    // The other store may be the cause. Without it, the write succeeds, or fails again with its own error.
    return once({ isAllowed: false, hasBegun: false });
  });
  const { result, effects, patientId, eventId } = done;
  if (dryRun || eventId === null) return { result, effects, pending: !done.arrives };
  // The write is committed. A failure from here on only delays the other store, so the response must not be an error.
  const arrived = await deliverWithin(patientId, eventId, origin).catch(() => false);
  return { result, effects, pending: !arrived };
}

/** Whether a transaction may apply its changes to the other store, and whether it has begun to. */
interface Applying {
  readonly isAllowed: boolean;
  hasBegun: boolean;
}

/**
 * Applies a write's changes to the other store in the same transaction, or enqueues them if that is not possible. A dry run applies
 * them in every configuration, because it shows the effects on both stores.
 *
 * @returns the ID of the event that stays pending, or null if it was applied
 */
async function replicate(
  write: PatientWrite,
  { isQueued, dryRun, applying }: { isQueued: boolean; dryRun: boolean; applying: Applying },
): Promise<number | null> {
  const { replication } = write;
  if (replication === null || replication.changes.length === 0) return null;
  const { STREAM_CONSUMER: consumer, STREAM_WAIT_MS: waitMs } = config();
  const mayApply = applying.isAllowed && !isQueued && (dryRun || (consumer === "inline" && waitMs > 0));
  if (!mayApply) return enqueueReplication(write, replication);
  applying.hasBegun = true;
  const effects: PolicyEffect[] = [];
  await applyChanges({ ...write, effects }, replication);
  recordApplied(write, replication);
  await erasePurged(write.tx, write.patient.id, replication);
  if (dryRun) write.effects.push(...effects);
  return null;
}

async function publishAndAudit({ tx, patient, origin, change }: PatientWrite): Promise<void> {
  const { id, practice_id: practiceId } = patient;
  if (change) await publishEvents(tx, { type: change, resource: "patients", ids: [id], practiceId, origin });
  auditPatientChange(tx, origin, patient);
}

/**
 * Locks a patient and brings its stores up to date. If a write did not wait for pending changes from the other store, one of the
 * two would be lost, so these are applied first. If that fails, only writes to the store of the pending changes are accepted,
 * because they queue up behind them.
 */
async function lockUpToDate(tx: Tx, request: WriteRequest, store: WrittenStore): Promise<Locked> {
  const { access, patientId, origin } = request;
  // One round trip: PostgreSQL runs the reads once it has the lock.
  const [patient, pending] = await Promise.all([
    lockPatient(tx, access, patientId),
    listOpenEvents(tx, patientId),
    ...(store === "policies" ? [preloadPolicies(tx, patientId), preloadInsurances(tx, patientId)] : []),
  ]);
  const isQueued = pending.length > 0;
  if (pending.every(({ direction }) => direction === OUTGOING[store])) return { patient, isQueued };
  if (pending.some(({ status }) => status === "failed")) throw blocked();
  for (const _event of pending) await deliverNext(tx, patient, []).catch((error) => throwBlocked(error, origin));
  return { patient: await lockPatient(tx, access, patientId), isQueued: false };
}

/** The direction in which a write to a store replicates. A write to both waits for events in either direction. */
const OUTGOING = { policies: "policies_to_patients", patients: "patients_to_policies", both: null } as const;

/**
 * Applies a dry run's changes to the other store as well, after earlier events of the patient, whose effects are not reported.
 * If one of the events can't be applied, the real write would respond with `Sync-Status: pending`.
 *
 * @returns whether the write's own event was applied
 */
async function rehearseDelivery({ tx, patient, effects }: PatientWrite, eventId: number): Promise<boolean> {
  await tx.run(sql`SAVEPOINT other_store`);
  try {
    for (;;) {
      const replicated: PolicyEffect[] = [];
      const event = await deliverNext(tx, patient, replicated);
      if (event?.id === eventId) effects.push(...replicated);
      if (!event || event.id === eventId) return event !== null;
    }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    await tx.run(sql`ROLLBACK TO SAVEPOINT other_store`);
    return false;
  }
}

/**
 * Rethrows errors that `transaction` retries. Any other failure blocks the write.
 *
 * @param origin of the blocked write
 */
function throwBlocked(error: unknown, origin: Origin): never {
  if (!(error instanceof DeliveryError) || isRetryable(error)) throw error;
  if (error.cause instanceof OverloadedError) throw error.cause;
  const ids = { event: error.eventId, ...originIds(origin) };
  log.warn({ err: error.cause, ...ids }, "a write waits for a change that can't be replicated");
  throw blocked(error);
}

function blocked(cause?: unknown): ConflictError {
  return new ConflictError(
    "stream_blocked",
    "An earlier change to this patient's insurance has not been synced yet. Try again shortly. If the problem persists, ask an admin of the practice to check Sync.",
    { cause, retryAfterSeconds: 5 },
  );
}

/**
 * Builds the response to a write. It has `Sync-Status: pending` if the other store has not applied the write in time. A dry
 * run returns 200 with the effects, without the headers that name a version or record, because neither exists.
 */
export function replyToWrite<T>(outcome: WriteOutcome<T>, dryRun: boolean, reply: Reply): Reply {
  const pending: Record<string, string> = outcome.pending ? { "sync-status": "pending" } : {};
  if (!dryRun) return { ...reply, headers: { ...reply.headers, ...pending } };
  const { etag: _etag, location: _location, ...headers } = reply.headers ?? {};
  return {
    ...reply,
    status: 200,
    body: { effects: outcome.effects, result: reply.body ?? null },
    headers: { ...headers, ...pending },
  };
}
