import { forgetAnswers } from "@/lib/access/endpoints/idempotency-commands";
import { deleteQueuedImages } from "@/lib/insurance/images/delete-queued-images";
import type { PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { queueImageDeletion } from "@/lib/insurance/patient-write/queue-image-deletion";
import { PolicyLedger } from "@/lib/insurance/policies/ledger";
import { erasePolicyFromEvents } from "@/lib/insurance/replication/commands";
import { type WriteRequest, writePatient } from "@/lib/insurance/replication/with-locked-patient";
import { json, sql } from "@/lib/platform/db/sql";
import { ConflictError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { type IfMatch, requireVersion } from "@/lib/platform/versions";

/**
 * Deletes an archived policy, its history, its legacy twin and its card images for good; a tombstone remains, so that the
 * id answers 410 and the deletion itself has a who, when and why.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws ConflictError policy_active
 */
export async function removePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
): Promise<WriteOutcome<null>> {
  let imageKeys: string[] = [];
  const outcome = await writePatient(request, "policies_to_patients", async (write) => {
    const ledger = await PolicyLedger.open(write, [policyId]);
    const policy = await ledger.get(policyId);
    requireVersion(ifMatch, policy.version);
    if (policy.status === "active") {
      throw new ConflictError("policy_active", "Only an archived policy can be deleted permanently. Archive it first.");
    }
    imageKeys = await deleteWithHistory(write, policyId);
    write.change = "saved";
    const { patient_insurance, rank } = policy;
    write.effects.push({ kind: "removed", policy: policyId, rank, card_images: 0, changed_fields: [] });
    const change = { kind: "remove" as const, policy_id: policyId, patient_insurance, image_keys: imageKeys };
    return { result: null, payload: { direction: "policies_to_patients", kind: "delete", changes: [change] } };
  });
  // Where this fails, or the other side has not let go of them yet, the consumer's housekeeping does it.
  if (!request.dryRun) await deleteQueuedImages().catch((err) => log.warn({ err }, "card images left behind"));
  return outcome;
}

async function deleteWithHistory(write: PatientWrite, policyId: number): Promise<string[]> {
  const { tx, patient, origin, now } = write;
  const images = await tx.rows<{ image_key: string }>(
    sql`SELECT DISTINCT image_key FROM policy_card_image WHERE policy_id = ${policyId}`,
  );
  // Deletes the policy and writes its tombstone: no right of this process's database role could.
  const { actor, source, reason, requestId } = origin;
  await tx.run(
    sql`SELECT purge_policy(${policyId}, ${json(actor)}, ${source}, ${reason}, ${requestId}, ${now}::timestamptz)`,
  );
  await erasePolicyFromEvents(tx, patient.id, policyId);
  await forgetAnswers(tx, `/api/2.0/patients/${patient.id}/policies`, policyId);
  const keys = images.map(({ image_key }) => image_key);
  await queueImageDeletion(tx, keys, now);
  return keys;
}
