import type { PlacedImage } from "@/lib/insurance/fields/card-image";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { nextImageRank } from "@/lib/insurance/policies/rules";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import type { WriteRequest } from "@/lib/insurance/replication/with-locked-patient";
import { ConflictError, NotFoundError } from "@/lib/platform/errors";
import type { StoredImage } from "@/lib/platform/storage/stored-image";
import type { IfMatch } from "@/lib/platform/versions";
import { changePolicy, requireActive } from "./change-policy";

export interface CardImageResult {
  image: PlacedImage;
  policyVersion: number;
}

/**
 * Puts a stored image on an active policy: at `imageRank`, replacing what is there, or at the next free place.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws ConflictError policy_archived, or card_images_full where nine are there already
 */
export async function addCardImage(
  request: WriteRequest,
  policyId: number,
  input: { image: StoredImage; imageRank: number | null; ifMatch: IfMatch },
): Promise<WriteOutcome<CardImageResult>> {
  const target = { policyId, ifMatch: input.ifMatch, kind: "update" as const };
  const outcome = await changePolicy(request, target, (ledger, policy, write) => {
    requireActive(policy);
    const image_rank = input.imageRank ?? nextImageRank(policy.card_images.map((image) => image.image_rank));
    if (image_rank === null) throw new ConflictError("card_images_full", "A policy has at most nine card images.");
    const others = policy.card_images.filter((other) => other.image_rank !== image_rank);
    const image = { image_rank, ...input.image, created_date: write.now };
    ledger.setImages(policyId, [...others, image], "card_image_added");
  });
  const { card_images, version } = outcome.result;
  const image = card_images.find(({ image_key }) => image_key === input.image.image_key) as PlacedImage;
  return { ...outcome, result: { image, policyVersion: version } };
}

/**
 * Takes a card image off an active policy; it stays readable in the policy's versions.
 *
 * @throws NotFoundError no such policy, or no image at this rank
 * @throws GoneError, VersionConflictError, ConflictError policy_archived
 */
export async function removeCardImage(
  request: WriteRequest,
  policyId: number,
  input: { imageRank: number; ifMatch: IfMatch },
): Promise<WriteOutcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch: input.ifMatch, kind: "update" }, (ledger, policy) => {
    requireActive(policy);
    const left = policy.card_images.filter((image) => image.image_rank !== input.imageRank);
    if (left.length === policy.card_images.length) throw new NotFoundError("card image");
    ledger.setImages(policyId, left, "card_image_removed");
  });
}
