"use client";

import { type UseQueryStatesKeysMap, useQueryState, useQueryStates } from "nuqs";
import { parseAsOffset } from "./url-state";

/** The part of a list's filter that its filter bar shows and clears. */
export interface ListFilter {
  /** The filters that are set, as query parameters. */
  filter: Record<string, string>;
  isSet: boolean;
  remove: (name: string) => void;
  clear: () => void;
}

/**
 * Keeps a list's filter and page in the URL. Any change to the filter returns to the first page.
 *
 * @param parsers one nuqs parser per filter
 */
export function useListFilter<P extends UseQueryStatesKeysMap>(parsers: P) {
  const [fields, setFields] = useQueryStates(parsers);
  const [offset, setOffset] = useQueryState("offset", parseAsOffset);
  const set = Object.entries<unknown>(fields).filter(([, value]) => value !== null && value !== "");
  const change = (next: Parameters<typeof setFields>[0]) => {
    void setOffset(null);
    void setFields(next);
  };
  return {
    fields,
    filter: Object.fromEntries(set.map(([name, value]) => [name, String(value)])),
    isSet: set.length > 0,
    change,
    remove: (name: string) => change((before) => ({ ...before, [name]: null })),
    clear: () => change(null),
    offset,
    goTo: (next: number) => void setOffset(next || null, { history: "push" }),
    goToFirst: () => setOffset(null),
  };
}
