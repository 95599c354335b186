import { auditChange } from "@/lib/access/audit/commands";
import type { Access, Origin } from "@/lib/access/identity/access";
import { publishEvents } from "@/lib/events/published/publish-events";
import type { Effect, LockedPatient, PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { lockPatient } from "@/lib/insurance/patients/store";
import { isoNow } from "@/lib/platform/clock";
import { sql } from "@/lib/platform/db/sql";
import { isRetryable, type Tx, transaction } from "@/lib/platform/db/transaction";
import { ConflictError, OverloadedError } from "@/lib/platform/errors";
import type { Reply } from "@/lib/platform/http/response";
import { log } from "@/lib/platform/log";
import { DeliveryError, deliverNext, deliverWithin } from "./deliver";
import { enqueueReplication, listOpenEvents } from "./outbox";

/** Who asks for a write on which patient. */
export interface WriteRequest {
  access: Access;
  patientId: number;
  origin: Origin;
  /** Does everything, in both stores, and rolls it back (design §4). */
  dryRun?: boolean;
}

/** The store that a write changes. The other one follows by replication, unless the write changes both itself. */
export type WrittenStore = "policies" | "patients" | "both";

/**
 * Runs a write on one patient, from lock to answer. In one transaction: locks the patient, applies what the other store's
 * replication still has under way for it, runs `work`, enqueues what `work` put into `write.replication`, publishes the
 * change and audits it. After the commit, waits up to STREAM_WAIT_MS for the other store to apply it (design §1, §7).
 *
 * @param store the store that `work` changes
 * @throws NotFoundError if the patient does not exist or the caller has no right to it
 * @throws ConflictError stream_blocked, if an earlier change of the other store can't be applied
 */
export async function withLockedPatient<T>(
  request: WriteRequest,
  store: WrittenStore,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  return runWrite(request, (tx) => lockUpToDate(tx, request, store), work);
}

/** Runs the write that creates a patient, as `withLockedPatient` does for one that exists. `insert` adds its row. */
export async function withNewPatient<T>(
  request: Omit<WriteRequest, "patientId">,
  insert: (tx: Tx) => Promise<LockedPatient>,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  return runWrite(request, insert, work);
}

async function runWrite<T>(
  { origin, dryRun = false }: Pick<WriteRequest, "origin" | "dryRun">,
  lock: (tx: Tx) => Promise<LockedPatient>,
  work: (write: PatientWrite) => Promise<T>,
): Promise<WriteOutcome<T>> {
  const done = await transaction(
    async (tx) => {
      const write: PatientWrite = {
        tx,
        patient: await lock(tx),
        now: isoNow(),
        origin,
        effects: [],
        change: null,
        replication: null,
      };
      const result = await work(write);
      const eventId = await enqueueReplication(write);
      const arrives = !dryRun || eventId === null || (await rehearseDelivery(write, eventId));
      await publishAndAudit(write);
      return { result, effects: write.effects, patientId: write.patient.id, eventId, arrives };
    },
    { rollback: dryRun },
  );
  const { result, effects, patientId, eventId } = done;
  if (dryRun || eventId === null) return { result, effects, pending: !done.arrives };
  // The write is committed: a failure from here on delays the other store, but must not make the answer an error.
  const arrived = await deliverWithin(patientId, eventId).catch(() => false);
  return { result, effects, pending: !arrived };
}

/** The audit comes last, because its lock holds up every other write of the practice. */
async function publishAndAudit({ tx, patient, origin, change }: PatientWrite): Promise<void> {
  const { id, practice_id: practiceId } = patient;
  if (change) await publishEvents(tx, { type: change, resource: "patients", ids: [id], practiceId, origin });
  await auditChange(tx, origin, [id]);
}

/**
 * Locks a patient with both stores up to date. A write made before the other store's last one arrives would cross it, and one
 * of the two would be lost, so pending replication is applied first. Where that fails, only a write that queues up behind it
 * may go on: one of the same store.
 */
async function lockUpToDate(tx: Tx, request: WriteRequest, store: WrittenStore): Promise<LockedPatient> {
  const patient = await lockPatient(tx, request.access, request.patientId);
  const pending = await listOpenEvents(tx, patient.id);
  if (pending.every(({ direction }) => direction === OUTGOING[store])) return patient;
  if (pending.some(({ status }) => status === "failed")) throw blocked();
  for (const _event of pending) await deliverNext(tx, patient, []).catch(refuse);
  return lockPatient(tx, request.access, request.patientId);
}

/** The direction in which a write of a store replicates; a write of both waits for either. */
const OUTGOING = { policies: "policies_to_patients", patients: "patients_to_policies", both: null } as const;

/**
 * Applies a dry run's change to the other store as well: earlier events of the patient first, whose effects are not this
 * write's. If one of them can't be applied, the real write would answer `Sync-Status: pending`.
 *
 * @returns whether the write's own event was applied
 */
async function rehearseDelivery({ tx, patient, effects }: PatientWrite, eventId: number): Promise<boolean> {
  await tx.run(sql`SAVEPOINT other_store`);
  try {
    for (;;) {
      const replicated: Effect[] = [];
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

/** A deadlock or a lost connection is passed on as it is; any other failure blocks the patient's replication. */
function refuse(error: unknown): never {
  if (!(error instanceof DeliveryError) || isRetryable(error)) throw error;
  if (error.cause instanceof OverloadedError) throw error.cause;
  log.warn({ err: error.cause, event: error.eventId }, "a write waits for a change that can't be replicated");
  throw blocked(error);
}

function blocked(cause?: unknown): ConflictError {
  return new ConflictError(
    "stream_blocked",
    "An earlier change to this patient's insurance has not been synced yet. Try again, or contact the practice.",
    { cause, retryAfterSeconds: 5 },
  );
}

/**
 * Builds the response to a write. It has `Sync-Status: pending` if the other store has not applied the write in time. A dry
 * run returns 200 with the effects (design §4, §7), without the headers that name a version or record, because neither exists.
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
