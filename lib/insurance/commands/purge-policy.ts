import { eraseResponses } from "@/lib/access/endpoints/idempotency";
import { deleteQueuedImages, queueImageDeletion } from "@/lib/insurance/images/deletion-queue";
import type { PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { erasePolicyFromEvents } from "@/lib/insurance/replication/outbox";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { kysely } from "@/lib/platform/db/kysely";
import { json, sql } from "@/lib/platform/db/sql";
import { ConflictError } from "@/lib/platform/errors";
import type { IfMatch } from "@/lib/platform/http/conditional";
import { log } from "@/lib/platform/log";
import { within } from "@/lib/platform/within";

/** How long a response waits for the deletion of images. */
const DELETION_MS = 5_000;

/**
 * Permanently deletes an archived policy with its history, its legacy insurance and its card images. A tombstone remains: it
 * records who purged the policy, when and why, and requests for it return 410.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws ConflictError policy_active
 */
export async function purgePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
): Promise<WriteOutcome<null>> {
  const outcome = await withLockedPatient(request, "policies", async (write) => {
    const { policy } = await PolicyLedger.openFor(write, { policyId, ifMatch });
    if (policy.status === "active") {
      throw new ConflictError(
        "policy_active",
        "Only archived policies can be deleted permanently. Archive this policy first.",
      );
    }
    const { patient_insurance, rank } = policy;
    const imageKeys = await deleteWithHistory(write, { policyId, insuranceId: patient_insurance });
    write.change = "saved";
    write.effects.push({ kind: "removed", policy: policyId, rank, card_images: 0, changed_fields: [] });
    const change = { kind: "remove", policy_id: policyId, patient_insurance, image_keys: imageKeys } as const;
    write.replication = { direction: "policies_to_patients", kind: "delete", changes: [change] };
    return null;
  });
  // Housekeeping deletes the images that remain, such as those that the other store still shows.
  const { requestId } = request.origin;
  if (!request.dryRun)
    await within(
      deleteQueuedImages({ signal: AbortSignal.timeout(DELETION_MS) }).catch((err: unknown) =>
        log.warn({ err, request: requestId }, "card images left for housekeeping"),
      ),
      DELETION_MS,
    );
  return outcome;
}

/** Deletes the policy, its history and everything else that still shows it. Returns the keys of its card images. */
async function deleteWithHistory(
  write: PatientWrite,
  { policyId, insuranceId }: { policyId: number; insuranceId: number },
): Promise<string[]> {
  const { tx, patient, origin, now } = write;
  const images = await tx.rows(
    kysely.selectFrom("policy_card_image").select("image_key").distinct().where("policy_id", "=", policyId),
  );
  // The database role of this process can't delete history. Only this function can, and it also writes the tombstone.
  const { actor, source, reason, requestId } = origin;
  await tx.run(
    sql`SELECT purge_policy(${policyId}, ${json(actor)}, ${source}, ${reason}, ${requestId}, ${now}::timestamptz)`,
  );
  await erasePolicyFromEvents(tx, patient.id, policyId);
  const insurancePath = `/api/2.0/patient_insurances/${insuranceId}`;
  await eraseResponses(tx, { path: `/api/2.0/patients/${patient.id}/policies`, insurancePath, policyId });
  const keys = images.map(({ image_key }) => image_key);
  await queueImageDeletion(tx, keys, now);
  return keys;
}
