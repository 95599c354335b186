"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";

const REFRESH_MS = 5_000;

interface Page<T> {
  count: number;
  has_more: boolean;
  newest: number;
  results: T[];
}
interface Refreshed<T> {
  newer: number;
  results: T[];
}

/** Query parameters by name; undefined leaves one out. */
type Parameters = Record<string, string | number | undefined>;

export interface LiveList<T, P extends Page<T> = Page<T>, R extends Refreshed<T> = Refreshed<T>> {
  /** The page as it was loaded; undefined until then. */
  page: P | undefined;
  /** The rows of the page with their latest values, in the same places. */
  rows: T[] | undefined;
  /** How many matching rows have arrived since the page was loaded. */
  newer: number;
  /** The latest response of the refresh endpoint. */
  latest: R | undefined;
  /** Whether `rows` are those of the previous page, while the next one loads. */
  stale: boolean;
  error: Error | null;
  /** Why the rows could not be refreshed. */
  refreshError: Error | null;
  /** Loads the page again, with the rows that have arrived since. */
  reload: () => Promise<unknown>;
  /** Refreshes the rows now instead of at the next interval. */
  refresh: () => void;
}

interface LiveListOptions<P> {
  practice: number;
  /** Path of the list, relative to the practice. `{path}/refresh` returns what has changed. */
  path: string;
  /** Query parameters that select rows. */
  filter: Record<string, string>;
  /** Query parameters that select the page. */
  paging: Record<string, string>;
  /** The page that the server rendered, and its query. */
  initial: { query: Parameters; page: P };
}

/** Loads a page of a list and refreshes its rows in place every few seconds. New rows are only counted, so nothing moves. */
export function useLiveList<T extends { id: number }, P extends Page<T>, R extends Refreshed<T>>({
  practice,
  path,
  filter,
  paging,
  initial,
}: LiveListOptions<P>): LiveList<T, P, R> {
  const base = `practices/${practice}/${path}`;
  const parameters = { ...filter, ...paging };
  const search = new URLSearchParams(parameters).toString();
  const query = useQuery({
    queryKey: [base, search],
    queryFn: ({ signal }) => staffCall<P>(`${base}?${search}`, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    initialData: isSameQuery(parameters, initial.query) ? initial.page : undefined,
  });
  const page = query.data;
  const ids = page?.results.map(({ id }) => id).join(",") ?? "";
  const after = String(page?.newest ?? 0);
  const refreshSearch = new URLSearchParams({ ...filter, after, ids }).toString();
  const refresh = useQuery({
    queryKey: [base, "refresh", refreshSearch],
    queryFn: ({ signal }) => staffCall<R>(`${base}/refresh?${refreshSearch}`, { signal, background: true }),
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
    refreshError: refresh.error,
    reload: () => query.refetch(),
    refresh: () => void refresh.refetch(),
  };
}

/** Compares two queries. Timestamps may be written differently by the server and the browser. */
function isSameQuery(one: Parameters, other: Parameters): boolean {
  const [a, b] = [normalize(one), normalize(other)];
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value);
}

function normalize(parameters: Parameters): Map<string, string> {
  return new Map(
    Object.entries(parameters).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const isTime = (name === "from" || name === "to") && !Number.isNaN(Date.parse(String(value)));
      return [[name, isTime ? new Date(value).toISOString() : String(value)] as const];
    }),
  );
}
