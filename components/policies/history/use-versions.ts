"use client";

import { useQueries, useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import type { toVersionDto } from "@/lib/insurance/policies/dto";
import type { readVersion } from "@/lib/insurance/policies/staff-queries";
import { type PolicyRef, versionsPath } from "../paths";
import { BLOCK_SIZE, blockKey, versionKey } from "./history-keys";

/** An entry of the version list: who changed what. */
export type VersionSummary = ReturnType<typeof toVersionDto>;
/** A version with the policy at that time. */
export type VersionDetail = Awaited<ReturnType<typeof readVersion>>;

interface Block {
  count: number;
  results: VersionSummary[];
}

/**
 * Returns the number of the newest version. Checks again when the page becomes visible.
 *
 * @param known the newest version when the page was loaded
 */
export function useNewestVersion(policy: PolicyRef, known: number): number {
  const { data } = useQuery({
    queryKey: ["policy-newest", policy.policy, known],
    queryFn: ({ signal }) => staffCall<Block>(`${versionsPath(policy)}?offset=0&limit=1`, { signal, background: true }),
    initialData: { count: known, results: [] },
    select: ({ count }) => count,
  });
  return Math.max(known, data);
}

/** Loads the blocks that contain the given versions, and returns what has loaded, by number. Versions never change. */
export function useVersions(policy: PolicyRef, newest: number, numbers: readonly number[]) {
  const blocks = [...new Set(numbers.map((number) => Math.floor((number - 1) / BLOCK_SIZE)))];
  return useQueries({
    queries: blocks.map((block) => ({
      queryKey: blockKey(policy.policy, block, newest),
      queryFn: ({ signal }: { signal: AbortSignal }) => {
        const page = `offset=${block * BLOCK_SIZE}&limit=${BLOCK_SIZE}`;
        return staffCall<Block>(`${versionsPath(policy)}?${page}`, { signal });
      },
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (blocks) => ({
      versions: new Map(blocks.flatMap(({ data }) => data?.results ?? []).map((entry) => [entry.version, entry])),
      error: blocks.find(({ error }) => error)?.error ?? null,
    }),
  });
}

/** Links to card images expire after a few minutes. Load the version again before that. */
const FRESH_MS = 120_000;

/** Loads a version. There is nothing to load for 0, the time before the first version. */
export function useVersion(policy: PolicyRef, number: number) {
  return useQuery({
    queryKey: versionKey(policy.policy, number),
    queryFn: ({ signal }) => staffCall<VersionDetail>(`${versionsPath(policy)}/${number}`, { signal }),
    enabled: number > 0,
    staleTime: FRESH_MS,
  });
}
