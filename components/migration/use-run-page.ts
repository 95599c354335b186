"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { staffCall } from "@/components/session/staff-call";

interface RunListPage<T> {
  count: number;
  results: T[];
}

/**
 * Fetches a page of a run's findings or records.
 *
 * @param list.initial the page the server rendered, and its query
 */
export function useRunPage<T>(list: {
  path: string;
  query: Record<string, string>;
  initial: { query: string; page: RunListPage<T> };
}) {
  const asked = new URLSearchParams(list.query).toString();
  return useQuery({
    queryKey: [list.path, asked],
    queryFn: ({ signal }) => staffCall<RunListPage<T>>(`${list.path}?${asked}`, { signal }),
    placeholderData: keepPreviousData,
    initialData: asked === list.initial.query ? list.initial.page : undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Converts parameters to a query, without those that are not set. */
export function toQuery(query: Record<string, unknown>): Record<string, string> {
  const set = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
}
