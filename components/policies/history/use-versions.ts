"use client";

import { useQueries, useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";
import type { toVersionDto } from "@/lib/insurance/policies/dto";
import type { readVersion } from "@/lib/insurance/policies/history-queries";
import { BLOCK, blockKey, type PolicyPlace, versionKey } from "./history-keys";

/** Who changed what with a version. */
export type VersionSummary = ReturnType<typeof toVersionDto>;
/** A version with the policy as it stood. */
export type VersionDetail = Awaited<ReturnType<typeof readVersion>>;

interface Block {
  count: number;
  results: VersionSummary[];
}

const pathOf = ({ practice, patient, policy }: PolicyPlace) =>
  `practices/${practice}/patients/${patient}/policies/${policy}/versions`;

/** The newest version there is: looked up again when the page gets back into view. */
export function useNewest(place: PolicyPlace, known: number): number {
  const { data } = useQuery({
    queryKey: ["policy-newest", place.policy, known],
    queryFn: ({ signal }) => staffCall<Block>(`${pathOf(place)}?offset=0&limit=1`, { signal, background: true }),
    initialData: { count: known, results: [] },
    select: ({ count }) => count,
  });
  return Math.max(known, data);
}

/** The blocks of versions that hold these; what is loaded of them, by number. Versions never change: no block is stale. */
export function useVersions(place: PolicyPlace, newest: number, numbers: readonly number[]) {
  const blocks = [...new Set(numbers.map((number) => Math.floor((number - 1) / BLOCK)))];
  return useQueries({
    queries: blocks.map((block) => ({
      queryKey: blockKey(place.policy, block, newest),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        staffCall<Block>(`${pathOf(place)}?offset=${block * BLOCK}&limit=${BLOCK}`, { signal }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (answers) => ({
      versions: new Map(answers.flatMap(({ data }) => data?.results ?? []).map((entry) => [entry.version, entry])),
      error: answers.find(({ error }) => error)?.error ?? null,
      retry: () => {
        for (const { error, refetch } of answers) if (error) void refetch();
      },
    }),
  });
}

/** Links to card images end: a version is read again before they do. */
const FRESH_MS = 120_000;

/** One version whole; version 0 is what was there before the first: nothing. */
export function useVersion(place: PolicyPlace, number: number) {
  return useQuery({
    queryKey: versionKey(place.policy, number),
    queryFn: ({ signal }) => staffCall<VersionDetail>(`${pathOf(place)}/${number}`, { signal }),
    enabled: number > 0,
    staleTime: FRESH_MS,
  });
}
