"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
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

/** Query parameters, by name; those without a value are not given. */
type Parameters = Record<string, string | number | undefined>;

export interface SteadyList<T, P extends Page<T> = Page<T>, R extends Refreshed<T> = Refreshed<T>> {
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
 * @param list.initial the page the server rendered, and the query it answered
 */
export function useSteadyList<T extends { id: number }, P extends Page<T>, R extends Refreshed<T>>(list: {
  practice: number;
  path: string;
  filter: Record<string, string>;
  paging: Record<string, string>;
  initial: { query: Parameters; page: P };
}): SteadyList<T, P, R> {
  const base = `practices/${list.practice}/${list.path}`;
  const parameters = { ...list.filter, ...list.paging };
  const asked = new URLSearchParams(parameters).toString();
  const query = useQuery({
    queryKey: [base, asked],
    queryFn: ({ signal }) => staffCall<P>(`${base}?${asked}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    initialData: isSameQuery(parameters, list.initial.query) ? list.initial.page : undefined,
  });
  const page = query.data;
  const ids = page?.results.map(({ id }) => id).join(",") ?? "";
  const after = String(page?.newest ?? 0);
  const watched = new URLSearchParams({ ...list.filter, after, ids }).toString();
  const refresh = useQuery({
    queryKey: [base, "refresh", watched],
    queryFn: ({ signal }) => staffCall<R>(`${base}/refresh?${watched}`, { signal, background: true }),
    enabled: page !== undefined && !query.isPlaceholderData,
    refetchInterval: REFRESH_MS,
    retry: false,
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

/** Whether two queries ask for the same; the server writes instants in its own way. */
function isSameQuery(one: Parameters, other: Parameters): boolean {
  const [a, b] = [plain(one), plain(other)];
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}

function plain(parameters: Parameters): Map<string, string> {
  return new Map(
    Object.entries(parameters).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const isTime = (name === "from" || name === "to") && !Number.isNaN(Date.parse(String(value)));
      return [[name, isTime ? new Date(value).toISOString() : String(value)] as const];
    }),
  );
}
