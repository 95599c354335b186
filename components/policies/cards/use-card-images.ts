"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import type { CardImagesData, ShownImage } from "./card-text";
import type { Changed } from "./upload";

/** Where a policy's card images are. */
export interface CardPlace {
  practice: number;
  patient: number;
  policy: number;
}

/** Below `/api/staff/`. */
export const cardPath = ({ practice, patient, policy }: CardPlace) =>
  `practices/${practice}/patients/${patient}/policies/${policy}/card-images`;

/** Links to images end after some minutes: they are asked for again before. */
const FRESH_MS = 120_000;

/** A policy's card images; asked for again where the page knows of a newer version. */
export function useCardImages(place: CardPlace, version: number) {
  return useQuery({
    queryKey: ["card-images", place.policy, version],
    queryFn: ({ signal }) => staffCall<CardImagesData>(cardPath(place), { signal }),
    staleTime: FRESH_MS,
    placeholderData: (before) => before,
  });
}

/** What was put imageAt a place by somebody else meanwhile: the change was not made. */
export class PlaceTakenError extends Error {
  /** What is there now. */
  readonly now: CardImagesData;

  constructor(now: CardImagesData) {
    super("Somebody else has changed this card image meanwhile.");
    this.now = now;
  }
}

/** A place as somebody saw it when they decided to change it. */
export interface SeenPlace {
  rank: number;
  /** Of the policy. */
  version: number;
  /** Hash of the image that was there. */
  sha256: string | undefined;
}

/**
 * Makes changes of card images. A newer version of the policy is no hindrance as long as the image imageAt the place is the one
 * that was seen; after each change everything on the page is brought up to date.
 *
 * @throws PlaceTakenError, CallError
 */
export function useCardChanges(place: CardPlace) {
  const client = useQueryClient();
  return async (seen: SeenPlace, act: (version: number) => Promise<Changed>): Promise<Changed> => {
    try {
      return await act(seen.version).catch(async (error: unknown) => {
        if (!(error instanceof CallError) || error.status !== 412) throw error;
        const fresh = await staffCall<CardImagesData>(cardPath(place));
        if (imageAt(fresh, seen.rank)?.sha256 !== seen.sha256) throw new PlaceTakenError(fresh);
        return act(fresh.version);
      });
    } finally {
      void client.invalidateQueries();
    }
  };
}

/** The image imageAt a place. */
export function imageAt(data: Pick<CardImagesData, "images"> | undefined, rank: number): ShownImage | undefined {
  return data?.images.find(({ image_rank }) => image_rank === rank);
}
