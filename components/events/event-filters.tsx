"use client";

import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect, humanize } from "@/components/ui/filter-select";
import { SearchInput } from "@/components/ui/search-input";
import { TimeFilter } from "@/components/ui/time-filter";
import { parseAsInstant } from "@/components/ui/url-state";
import { useListFilter } from "@/components/ui/use-list-filter";
import { RESOURCES, STATUS_WORDS, STATUSES } from "./event-messages";

const TYPES = ["saved", "deleted"] as const;
const PARSERS = {
  resource: parseAsStringLiteral(RESOURCES),
  resource_id: parseAsInteger,
  event_type: parseAsStringLiteral(TYPES),
  status: parseAsStringLiteral(STATUSES),
  subscription: parseAsInteger,
  target: parseAsString,
  from: parseAsInstant,
  to: parseAsInstant,
};
const NAMES = {
  resource: "Record",
  resource_id: "Record ID",
  event_type: "Change",
  status: "Status",
  subscription: "Subscription",
  target: "Endpoint contains",
  from: "From",
  to: "Before",
};

/** Keeps the filter and page of the event list in the URL. */
export function useEventFilter() {
  return useListFilter(PARSERS);
}

/** Shows the inputs that narrow the event list. */
export function EventFilters({ value }: { value: ReturnType<typeof useEventFilter> }) {
  const { fields, filter, change, remove, clear } = value;
  const words: Record<string, string> = STATUS_WORDS;
  return (
    <FilterBar
      label="Filter events"
      names={NAMES}
      toWords={(name, text) => (name === "status" ? words[text] : null) ?? humanize(text)}
      filter={filter}
      remove={remove}
      clear={clear}
    >
      <FilterSelect
        label="Status"
        value={fields.status}
        options={STATUSES}
        labels={STATUS_WORDS}
        onChange={(status) => change({ status })}
      />
      <FilterSelect
        label="Record"
        value={fields.resource}
        options={RESOURCES}
        onChange={(resource) => change({ resource })}
      />
      <FilterSelect
        label="Change"
        value={fields.event_type}
        options={TYPES}
        onChange={(event_type) => change({ event_type })}
      />
      <TimeFilter from={fields.from} to={fields.to} onChange={change} />
      <SearchInput
        label="Endpoint contains"
        placeholder="Endpoint contains…"
        value={fields.target ?? ""}
        onSearch={(text) => change({ target: text || null })}
        className="max-w-56 min-w-40 flex-1"
      />
    </FilterBar>
  );
}
