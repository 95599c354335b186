import type { PolicyEffect } from "@/lib/access/endpoints/policy-effect";
import type { Origin } from "@/lib/access/identity/access";
import { pickInsurance } from "@/lib/insurance/fields/fields";
import { queueImageDeletion } from "@/lib/insurance/images/deletion-queue";
import type { LockedPatient, PatientWrite } from "@/lib/insurance/patient-write/patient-write";
import type {
  InsuranceState,
  PatientChange,
  PatientIdentity,
  PolicyChange,
  PolicyState,
} from "@/lib/insurance/patient-write/replication-payload";
import type { InsuranceRow } from "@/lib/insurance/patients/schema";
import { InsuranceLedger, lockPatientForReplication } from "@/lib/insurance/patients/store";
import { patientIdentity, toPolicy } from "@/lib/insurance/policies/rules";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { config } from "@/lib/platform/config";
import { kysely } from "@/lib/platform/db/kysely";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { OverloadedError } from "@/lib/platform/errors";
import { log, originIds } from "@/lib/platform/log";
import { property } from "@/lib/platform/objects";
import { inSpan } from "@/lib/platform/tracing";
import { within } from "@/lib/platform/within";
import { isSettledWithin } from "./await-settled";
import { acknowledge, erasePolicyFromEvents, findNextEvent, isSettled, type OpenEvent, recordFailure } from "./outbox";

/**
 * Waits up to STREAM_WAIT_MS for an event to be applied. A process with an inline consumer delivers the event itself;
 * otherwise it polls until a worker has delivered it.
 *
 * @param origin of the write that waits
 * @returns whether the event is acknowledged or discarded
 */
export async function deliverWithin(patientId: number, eventId: number, origin: Origin): Promise<boolean> {
  const { STREAM_WAIT_MS: waitMs, STREAM_CONSUMER: consumer } = config();
  if (waitMs === 0) return false;
  if (consumer === "worker") return isSettledWithin(eventId, waitMs);
  const delivery = deliverPatient(patientId, eventId).catch((error: unknown) => {
    log.warn({ err: error, event: eventId, ...originIds(origin) }, "delivery is left to the background consumer");
    return null;
  });
  const delivered = await within(delivery, waitMs);
  return (delivered ?? 0) >= eventId || isSettled(eventId);
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
        // One round trip: PostgreSQL finds the event once it has the lock.
        const [patient, next] = await Promise.all([
          lockPatientForReplication(tx, patientId),
          findNextEvent(tx, patientId),
        ]);
        return patient && (await deliverEvent(tx, patient, next, { respectBackoff: true }));
      });
      if (!event) break;
      delivered = event.id;
      if (!event.has_more) break;
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.cause instanceof OverloadedError) throw error;
      log.warn({ err: error.cause, ...error.ids }, "a replication event could not be applied");
      await recordFailure(error.eventId, error.message);
      break;
    }
  }
  return delivered;
}

/**
 * Applies the patient's oldest open event to the receiving store and acknowledges it, in one transaction,
 * so that it is applied exactly once even if the process dies.
 *
 * @returns the event, or null if no event is open or the oldest has failed
 */
export async function deliverNext(tx: Tx, patient: LockedPatient, effects: PolicyEffect[]): Promise<OpenEvent | null> {
  return deliverEvent(tx, patient, await findNextEvent(tx, patient.id), { effects });
}

async function deliverEvent(
  tx: Tx,
  patient: LockedPatient,
  event: OpenEvent | null,
  { effects = [], respectBackoff = false }: { effects?: PolicyEffect[]; respectBackoff?: boolean },
): Promise<OpenEvent | null> {
  if (!event || event.status === "failed") return null;
  if (respectBackoff && event.is_backing_off) return null;
  const { created_date: now, origin } = event;
  const write: PatientWrite = { tx, patient, now, origin, effects, change: null, replication: null };
  const span = { name: "replication.deliver", attributes: { "crosswalk.event": event.id }, parent: origin.traceparent };
  try {
    await inSpan(span, async () => {
      await applyChanges(write, event);
      // Awaits what `applyChanges` sent, so that its errors are caught here.
      await acknowledge(tx, event.id);
    });
  } catch (cause) {
    throw new DeliveryError(event, cause);
  }
  await erasePurged(tx, patient.id, event);
  return event;
}

type Changes =
  | { direction: "policies_to_patients"; changes: PolicyChange[] }
  | { direction: "patients_to_policies"; changes: PatientChange[] };

/** Applies the changes of one store to the other. Replicates nothing in return. */
export async function applyChanges(write: PatientWrite, payload: Changes): Promise<void> {
  if (payload.direction === "policies_to_patients") await applyPolicyChanges(write, payload.changes);
  else await applyLegacyChanges(write, payload.changes);
}

/** Erases purged policies from events that were still pending when the purge was requested. */
export async function erasePurged(tx: Tx, patientId: number, { direction, changes }: Changes): Promise<void> {
  if (direction !== "policies_to_patients") return;
  for (const change of changes)
    if (change.kind === "remove") await erasePolicyFromEvents(tx, patientId, change.policy_id);
}

/** An event that the receiving store could not apply. */
export class DeliveryError extends Error {
  readonly eventId: number;
  /** The IDs of the event and of the request that caused it, for log lines. */
  readonly ids: object;
  /** PostgreSQL's error code, from which `transaction` decides whether to retry. */
  readonly code: string | undefined;

  constructor({ id, origin }: Pick<OpenEvent, "id" | "origin">, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "DeliveryError";
    this.eventId = id;
    this.ids = { event: id, ...originIds(origin) };
    const code = property(cause, "code");
    this.code = typeof code === "string" ? code : undefined;
  }
}

/**
 * Applies policy changes to the legacy insurances (specification, Events 2): creates, updates and deactivates them, and
 * links the card images of each rank's policy to its priority. Replicates nothing in return.
 */
export async function applyPolicyChanges(write: PatientWrite, changes: readonly PolicyChange[]): Promise<void> {
  const insuranceIds = changes.map(insuranceIdOf);
  // The insurance of a new policy is new, too.
  const known = changes.filter(({ kind }) => kind !== "create").map(insuranceIdOf);
  const ledger = await InsuranceLedger.open(write, known);
  const ranks = new Set<number>();
  for (const change of changes) {
    if (change.kind === "remove") {
      ledger.remove(change.patient_insurance);
      await deletePurgedCards(write, change.image_keys);
      continue;
    }
    const before = ledger.find(change.policy.patient_insurance);
    const after = toInsurance(write, change.policy, before);
    if (before?.deleted_date === null) ranks.add(before.rank);
    if (!after) continue;
    if (after.deleted_date === null) ranks.add(after.rank);
    ledger.put(after);
  }
  // Normally no other insurance holds these ranks. After a discarded event one may: the arriving insurance wins.
  for (const other of ledger.current.filter(({ id }) => !insuranceIds.includes(id))) {
    const taken = ledger.current.some(({ id, rank }) => rank === other.rank && id !== other.id);
    if (taken) ledger.end(other.id);
  }
  for (const rank of ranks) {
    const holder = ledger.current.find((row) => row.rank === rank);
    const change = changes.find((c) => c.kind !== "remove" && c.policy.patient_insurance === holder?.id);
    if (change?.kind !== "remove" && change) ledger.setCards(rank, change.policy.card_images);
    else if (!holder) ledger.setCards(rank, []);
  }
  await ledger.flush();
}

function insuranceIdOf(change: PolicyChange): number {
  return change.kind === "remove" ? change.patient_insurance : change.policy.patient_insurance;
}

/**
 * Maps a policy to a legacy insurance. It is current if the policy is active and ranked, because a legacy insurance needs a
 * priority. Returns null if the policy has no rank and no legacy insurance yet.
 */
function toInsurance(write: PatientWrite, policy: PolicyState, before: InsuranceRow | null): InsuranceRow | null {
  const rank = policy.rank ?? before?.rank;
  if (rank === undefined) return null;
  const current = policy.status === "active" && policy.rank !== null;
  return {
    id: policy.patient_insurance,
    patient_id: write.patient.id,
    practice_id: write.patient.practice_id,
    policy_id: policy.id,
    external_id: before?.external_id ?? null,
    rank,
    ...pickInsurance(policy),
    created_date: before?.created_date ?? policy.created_date,
    deleted_date: current ? null : (before?.deleted_date ?? policy.archived_date ?? write.now),
  };
}

/** Deletes ended cards that show images of a purged policy. */
async function deletePurgedCards(write: PatientWrite, imageKeys: readonly string[]): Promise<void> {
  if (imageKeys.length === 0) return;
  write.tx.send(
    kysely
      .deleteFrom("legacy_card")
      .where("patient_id", "=", write.patient.id)
      .where("ended_date", "is not", null)
      .where("image_key", "in", imageKeys),
  );
  await queueImageDeletion(write.tx, imageKeys, write.now);
}

/** The archive reason of a policy, by what the legacy write did to its legacy insurance. */
const ARCHIVE_REASONS = {
  absent: "absent_from_legacy_update",
  replaced: "replaced_by_legacy_update",
  superseded: "superseded",
} as const;

/**
 * Applies legacy insurance changes to the policies (specification, Events 2): creates, updates and archives them. Card
 * images move to a new policy only if the legacy write gave no PatientInsurance ID. Replicates nothing in return.
 */
async function applyLegacyChanges(write: PatientWrite, changes: readonly PatientChange[]): Promise<void> {
  const ledger = await PolicyLedger.open(write, changes.flatMap(affectedPolicies));
  for (const change of changes) applyLegacyChange(write, ledger, change);
  supersedeOthers(ledger, changes);
  await ledger.flush();
}

function affectedPolicies(change: PatientChange): number[] {
  if (change.kind === "cards") return [change.policy_id];
  if (change.kind === "create") return change.images_from === null ? [] : [change.images_from];
  return change.kind === "update" || change.kind === "delete" ? [change.insurance.policy_id] : [];
}

function applyLegacyChange(write: PatientWrite, ledger: PolicyLedger, change: PatientChange): void {
  switch (change.kind) {
    case "create":
      createPolicy(write, ledger, change);
      return;
    case "update":
      updatePolicy(write, ledger, change.insurance);
      return;
    case "delete": {
      const policy = ledger.find(change.insurance.policy_id);
      if (policy?.status === "active") ledger.archive(policy.id, ARCHIVE_REASONS[change.reason]);
      return;
    }
    case "deactivate_all":
      archiveAll(ledger);
      return;
    case "identity":
      setIdentity(ledger, change.identity);
      return;
    case "cards":
      setCardImages(ledger, change);
      return;
    default:
      // A server of a later version enqueued it. To acknowledge it would lose it.
      throw new Error(`This version can't apply the change ${(change as PatientChange).kind}.`);
  }
}

function createPolicy(
  write: PatientWrite,
  ledger: PolicyLedger,
  change: Extract<PatientChange, { kind: "create" }>,
): void {
  const { insurance, images_from: from, cards } = change;
  ledger.add(toPolicy(write.patient, insurance, write.now));
  if (cards.length === 0) return;
  // Images are moved, never copied: an image is on one policy at a time. It stays readable in the versions of the old policy.
  if (from !== null && ledger.find(from)) ledger.setImages(from, [], "card_images_moved");
  ledger.setImages(insurance.policy_id, cards, "created");
}

/** Updates the policy. After a discarded event it may be missing or archived: then it is created or restored. */
function updatePolicy(write: PatientWrite, ledger: PolicyLedger, insurance: InsuranceState): void {
  const policy = ledger.find(insurance.policy_id);
  if (!policy) {
    ledger.add(toPolicy(write.patient, insurance, write.now));
    return;
  }
  const fields = { ...pickInsurance(insurance), rank: insurance.rank };
  if (policy.status === "active") ledger.change(policy.id, fields);
  else ledger.change(policy.id, { ...fields, status: "active", archived_date: null, archive_reason: null }, "restored");
}

function setCardImages(ledger: PolicyLedger, { policy_id, cards }: Extract<PatientChange, { kind: "cards" }>): void {
  const policy = ledger.find(policy_id);
  if (!policy) return;
  const fewer = cards.length < policy.card_images.length;
  ledger.setImages(policy_id, cards, fewer ? "card_image_removed" : "card_image_added");
}

function setIdentity(ledger: PolicyLedger, identity: PatientIdentity): void {
  for (const policy of ledger.active) ledger.change(policy.id, patientIdentity(identity));
}

function archiveAll(ledger: PolicyLedger): void {
  for (const policy of ledger.active) ledger.archive(policy.id, "legacy_insurances_emptied");
}

/** Normally no other policy holds these ranks. After a discarded event one may: the arriving policy wins. */
function supersedeOthers(ledger: PolicyLedger, changes: readonly PatientChange[]): void {
  const arriving = changes.flatMap((change) =>
    change.kind === "create" || change.kind === "update" ? [change.insurance] : [],
  );
  const arrivingIds = new Set(arriving.map(({ policy_id }) => policy_id));
  for (const { rank } of arriving) {
    const others = ledger.active.filter((policy) => policy.rank === rank && !arrivingIds.has(policy.id));
    for (const { id } of others) ledger.archive(id, ARCHIVE_REASONS.superseded);
  }
}
