"use client";

import { type CardStore, imageAt } from "@/components/policies/cards/card-store";
import { type ChangeResponse, toChangedImage, uploadPicture } from "@/components/policies/cards/upload";
import { patientPath } from "@/components/policies/paths";
import { staffCall } from "@/components/session/staff-call";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { toLegacyCardError } from "./legacy-card-errors";
import { legacyPlaceName, placeRank, placeSide, toPlace } from "./legacy-card-places";

/** Returns a patient's cards, with their places encoded as one number. */
export function toLegacyCards({ patient, cards, limits }: PatientPage) {
  return {
    version: patient.version,
    limits,
    images: cards.map(({ rank, image_rank: side, sha256, url }) => ({ image_rank: toPlace(rank, side), sha256, url })),
  };
}

export type LegacyCards = ReturnType<typeof toLegacyCards>;

/**
 * Creates the store for the cards of a patient in a practice without policies. The legacy interface can't restore an earlier
 * image, so an undo uploads the picture again, whose bytes must be fetched before the change.
 */
export function createLegacyCardStore(
  practice: number,
  patient: number,
  refreshPage: () => Promise<PatientPage>,
): CardStore<LegacyCards> {
  const base = patientPath(practice, patient);
  const path = `${base}/legacy-cards`;
  const load = async () => toLegacyCards(await refreshPage());
  const upload: CardStore<LegacyCards>["upload"] = (place, blob, watch) => (version) => {
    const fields = { rank: placeRank(place), side: placeSide(place) };
    return uploadPicture({ path, readPath: `${base}/state`, blob, fields, version, ...watch });
  };
  const remove: CardStore<LegacyCards>["remove"] = (place) => async (version) => {
    const query = `?rank=${placeRank(place)}&side=${placeSide(place)}`;
    return toChangedImage(await staffCall<ChangeResponse>(path + query, { method: "DELETE", ifMatch: version }));
  };
  /** Fetches a picture. Its link may have expired since the page was loaded; then fetches it with a new one. */
  const fetchImage = async ({ image_rank: place, sha256, url }: LegacyCards["images"][number]) => {
    const bytes = await fetchBytes(url);
    if (bytes) return bytes;
    const current = await load().catch(() => null);
    const image = current && imageAt(current, place);
    return image?.sha256 === sha256 ? fetchBytes(image.url) : null;
  };
  return {
    placeName: legacyPlaceName,
    load,
    refresh: () => load().catch(() => null),
    upload,
    remove,
    prepareUndo: async (cards, place) => {
      const image = imageAt(cards, place);
      if (!image) return () => remove(place);
      const bytes = await fetchImage(image);
      return bytes && (() => upload(place, bytes, untrackedUpload()));
    },
    toError: toLegacyCardError,
  };
}

/** Returns the options of an upload that shows no progress and can't be stopped. */
const untrackedUpload = () => ({ onProgress: () => {}, signal: new AbortController().signal });

async function fetchBytes(url: string): Promise<Blob | null> {
  try {
    const response = await fetch(url);
    return response.ok ? await response.blob() : null;
  } catch {
    return null;
  }
}
