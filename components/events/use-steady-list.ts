"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";

const REFRESH_MS = 5_000;

interface Page<T> {
  count: number;
  newest: number;
  results: T[];
}
interface Refreshed<T> {
  newer: number;
  results: T[];
}

interface SteadyList<T, P extends Page<T>, R extends Refreshed<T>> {
  /** The page as it was asked for; undefined while it is on its way. */
  page: P | undefined;
  /** Its rows as they stand now: the same rows in the same places, whatever else came. */
  rows: T[] | undefined;
  /** How many came since that fit the filter. */
  newer: number;
  /** The last look at what changed. */
  latest: R | undefined;
  /** Another page is on its way; this is the one before. */
  stale: boolean;
  error: Error | null;
  /** Why what is shown may be old. */
  outdated: Error | null;
  /** Asks for the page anew, with what came since. */
  show: () => Promise<unknown>;
  /** Looks at once what changed. */
  look: () => void;
}

/**
 * A list that stays true without moving: its rows are brought up to date in place every few seconds, and what is new is
 * only counted until somebody asks for it.
 *
 * @param list.path of the list below the practice; `{path}/refresh` tells what changed
 * @param list.filter query parameters that say which rows fit
 * @param list.paging query parameters that say which of them are shown
 * @param list.initial the page the server rendered, for the parameters of the first render
 */
export function useSteadyList<T extends { id: number }, P extends Page<T>, R extends Refreshed<T>>(list: {
  practice: number;
  path: string;
  filter: Record<string, string>;
  paging: Record<string, string>;
  initial: P;
}): SteadyList<T, P, R> {
  const base = `practices/${list.practice}/${list.path}`;
  const asked = new URLSearchParams({ ...list.filter, ...list.paging }).toString();
  const [first] = useState(asked);
  const query = useQuery({
    queryKey: [base, asked],
    queryFn: ({ signal }) => staffCall<P>(`${base}?${asked}`, { signal }),
    placeholderData: keepPreviousData,
    ...{ staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false, refetchOnReconnect: false },
    ...(asked === first ? { initialData: list.initial } : {}),
  });
  const page = query.data;
  const ids = page?.results.map(({ id }) => id).join(",") ?? "";
  const after = String(page?.newest ?? 0);
  const watched = new URLSearchParams({ ...list.filter, after, ids }).toString();
  const refresh = useQuery({
    queryKey: [base, "refresh", watched],
    queryFn: ({ signal }) => staffCall<R>(`${base}/refresh?${watched}`, { signal, background: true }),
    ...{ enabled: page !== undefined && !query.isPlaceholderData, refetchInterval: REFRESH_MS, retry: false },
  });
  const fresh = new Map(refresh.data?.results.map((row) => [row.id, row]));
  return {
    page,
    rows: page?.results.map((row) => fresh.get(row.id) ?? row),
    newer: refresh.data?.newer ?? 0,
    latest: refresh.data,
    stale: query.isPlaceholderData,
    error: query.error,
    outdated: refresh.error,
    show: () => query.refetch(),
    look: () => void refresh.refetch(),
  };
}
