import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { nextImageRank, requireActive } from "@/lib/insurance/policies/rules";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import type { IfMatch } from "@/lib/platform/http/conditional";
import type { StoredImage } from "@/lib/platform/storage/stored-image";

export interface CardImageResult {
  image: PlacedImage;
  policyVersion: number;
}

/**
 * Adds a stored image to an active policy: at `imageRank`, replacing the image there, or at the next free rank.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws ConflictError policy_archived, or card_images_full if the policy has nine
 */
export async function addCardImage(
  request: WriteRequest,
  policyId: number,
  { image, imageRank, ifMatch }: { image: StoredImage; imageRank: number | null; ifMatch: IfMatch },
): Promise<WriteOutcome<CardImageResult>> {
  return withLockedPatient(request, "policies", async (write) => {
    const { ledger, policy } = await PolicyLedger.openFor(write, { policyId, ifMatch });
    requireActive(policy);
    const image_rank = imageRank ?? nextImageRank(policy.card_images.map((other) => other.image_rank));
    if (image_rank === null) {
      throw new ConflictError(
        "card_images_full",
        "This policy already has nine card images, the maximum. Delete one first.",
      );
    }
    const others = policy.card_images.filter((other) => other.image_rank !== image_rank);
    const added: PlacedImage = { image_rank, ...image, created_date: write.now };
    ledger.setImages(policyId, [...others, added], "card_image_added");
    await ledger.save("update");
    return { image: added, policyVersion: (await ledger.get(policyId)).version };
  });
}

/**
 * Removes a card image from an active policy. It stays readable in the policy's versions.
 *
 * @throws NotFoundError if there is no such policy, or no image at this rank
 * @throws GoneError, VersionConflictError, ConflictError policy_archived
 */
export async function removeCardImage(
  request: WriteRequest,
  policyId: number,
  { imageRank, ifMatch }: { imageRank: number; ifMatch: IfMatch },
): Promise<WriteOutcome<PolicyRow>> {
  return withLockedPatient(request, "policies", async (write) => {
    const { ledger, policy } = await PolicyLedger.openFor(write, { policyId, ifMatch });
    requireActive(policy);
    const remaining = policy.card_images.filter((image) => image.image_rank !== imageRank);
    if (remaining.length === policy.card_images.length) throw new NotFoundError("card image");
    ledger.setImages(policyId, remaining, "card_image_removed");
    await ledger.save("update");
    return ledger.get(policyId);
  });
}
