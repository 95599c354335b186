"use client";

import { useQueryClient } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { cardImagesPath, type PolicyRef } from "../paths";
import { type CardChange, type CardStore, imageAt } from "./card-store";
import type { CardImagesData } from "./card-text";
import { placeName } from "./places";
import { type ChangeResponse, toChangedImage, uploadPicture } from "./upload";
import { cardImagesQuery } from "./use-card-images";

/**
 * Returns the store for the card images of a policy. Images of earlier versions are kept, so an undo restores the former image,
 * or removes the image if there was none.
 */
export function usePolicyCardStore(policy: PolicyRef) {
  const client = useQueryClient();
  const path = cardImagesPath(policy);
  const remove =
    (place: number): CardChange =>
    async (version) =>
      toChangedImage(await staffCall<ChangeResponse>(`${path}/${place}`, { method: "DELETE", ifMatch: version }));
  /** Shows the image of an earlier version again. */
  const putBack =
    (place: number, fromVersion: number): CardChange =>
    async (version) => {
      const body = { version: fromVersion, image_rank: place };
      return toChangedImage(
        await staffCall<ChangeResponse>(`${path}/put-back`, { method: "POST", body, ifMatch: version }),
      );
    };
  const store: CardStore<CardImagesData> = {
    placeName,
    load: () => staffCall<CardImagesData>(path),
    refresh: async (version) => {
      void client.invalidateQueries();
      return version === undefined ? null : client.fetchQuery(cardImagesQuery(policy, version)).catch(() => null);
    },
    upload: (place, blob, watch) => (version) =>
      uploadPicture({ path, readPath: path, blob, fields: { image_rank: place }, version, ...watch }),
    remove,
    prepareUndo: async (cards, place) =>
      imageAt(cards, place) ? (version) => putBack(place, version) : () => remove(place),
  };
  return { store, putBack };
}
