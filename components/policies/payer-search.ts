"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import { staffCall } from "@/components/session/staff-call";
import type { CompanyChoice, PlanChoice } from "@/lib/insurance/payers/staff-queries";

interface SearchOptions {
  enabled: boolean;
  /** Whether the form searches automatically. Such calls don't extend the session. */
  background?: boolean;
}

/** Searches the payers of a practice by name. */
export function usePayers(practice: number, search: string, options: SearchOptions) {
  return useNameSearch<CompanyChoice>(`practices/${practice}/insurers`, search, options);
}

/** Searches the plans of a payer by name. */
export function usePlans(practice: number, payer: number | string | null, search: string, options: SearchOptions) {
  return useNameSearch<PlanChoice>(`practices/${practice}/insurers/${payer}/plans`, search, options);
}

/** Searches a list of the staff API by name while the user types. */
export function useNameSearch<T>(path: string, search: string, { enabled, background = false }: SearchOptions) {
  const text = useDeferredValue(search.trim());
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["insurers", path, text],
    queryFn: ({ signal }) =>
      staffCall<{ results: T[] }>(`${path}?search=${encodeURIComponent(text)}`, { signal, background }),
    enabled,
    placeholderData: (before, query) => (query?.queryKey[1] === path ? before : undefined),
  });
  return {
    found: data?.results,
    error,
    /** Whether `found` is the result of an earlier search, until the current one completes. */
    isStale: isPlaceholderData || text !== search.trim(),
  };
}
