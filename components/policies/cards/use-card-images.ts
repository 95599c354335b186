"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import { cardImagesPath, type PolicyRef } from "../paths";
import type { CardImagesData } from "./card-text";

/** Links to images expire after a few minutes. Load new ones before that. */
const FRESH_MS = 120_000;

/** Returns the query for a policy's card images. */
export const cardImagesQuery = (policy: PolicyRef, version: number) =>
  queryOptions({
    queryKey: ["card-images", policy.policy, version],
    queryFn: ({ signal }) => staffCall<CardImagesData>(cardImagesPath(policy), { signal }),
    staleTime: FRESH_MS,
  });

/** Loads a policy's card images, again for each new version of the policy. */
export function useCardImages(policy: PolicyRef, version: number) {
  return useQuery({ ...cardImagesQuery(policy, version), placeholderData: (before) => before });
}
