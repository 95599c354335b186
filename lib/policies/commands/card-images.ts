import { ConflictError, NotFoundError } from "@/lib/errors";
import { type IfMatch, requireVersion } from "@/lib/history/version";
import type { CardImage, PlacedImage } from "@/lib/insurance/card-image";
import { type Outcome, type WriteRequest, writePatient } from "@/lib/sync/write";
import { nextImageRank } from "../rules";
import { PolicyLedger } from "./ledger";
import { requireActive } from "./update-policy";

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
  input: { image: CardImage; imageRank: number | null; ifMatch: IfMatch },
): Promise<Outcome<CardImageResult>> {
  return writePatient(request, "policies_to_patients", async (unit) => {
    const ledger = await PolicyLedger.open(unit, [policyId]);
    const policy = await ledger.get(policyId);
    requireVersion(input.ifMatch, policy.version);
    requireActive(policy);
    const image_rank = input.imageRank ?? nextImageRank(policy.card_images.map((image) => image.image_rank));
    if (image_rank === null) throw new ConflictError("card_images_full", "A policy has at most nine card images.");
    const image = { image_rank, ...input.image, created_date: unit.now };
    const others = policy.card_images.filter((other) => other.image_rank !== image_rank);
    ledger.setImages(policyId, [...others, image], "card_image_added");
    const changes = await ledger.flush();
    const policyVersion = ledger.find(policyId)?.version ?? 0;
    const payload = { direction: "policies_to_patients" as const, kind: "update" as const, changes };
    return { result: { image, policyVersion }, payload };
  });
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
): Promise<Outcome<null>> {
  return writePatient(request, "policies_to_patients", async (unit) => {
    const ledger = await PolicyLedger.open(unit, [policyId]);
    const policy = await ledger.get(policyId);
    requireVersion(input.ifMatch, policy.version);
    requireActive(policy);
    const left = policy.card_images.filter((image) => image.image_rank !== input.imageRank);
    if (left.length === policy.card_images.length) throw new NotFoundError("card image");
    ledger.setImages(policyId, left, "card_image_removed");
    const changes = await ledger.flush();
    return { result: null, payload: { direction: "policies_to_patients", kind: "update", changes } };
  });
}
