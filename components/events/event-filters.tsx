"use client";

import { parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { SearchInput } from "@/components/ui/search-input";
import { TimeFilter } from "@/components/ui/time-filter";
import { parseAsInstant } from "@/components/ui/url-state";
import { useListFilter } from "@/components/ui/use-list-filter";
import { eventFilters as text } from "./messages/events";

const RESOURCES = ["patients", "practices", "physicians", "insurance_companies", "insurance_plans"] as const;
const STATUSES = ["failed", "undelivered", "rejected", "waiting", "pending", "processed", "canceled"] as const;
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
/** The words of filter values that are not typed. */
const WORDS: Record<string, Record<string, string>> = {
  status: text.statuses,
  resource: text.records,
  event_type: text.types,
};

/** Keeps the filter and page of the event list in the URL. */
export function useEventFilter() {
  return useListFilter(PARSERS);
}

/** Shows the inputs that narrow the event list. */
export function EventFilters({ value: list }: { value: ReturnType<typeof useEventFilter> }) {
  const { fields, filter, change, remove, clear } = list;
  return (
    <FilterBar
      label={text.label}
      names={text.names}
      toWords={(name, value) => WORDS[name]?.[value] ?? value}
      filter={filter}
      remove={remove}
      clear={clear}
    >
      <FilterSelect
        label={text.names.status}
        value={fields.status}
        options={STATUSES}
        labels={text.statuses}
        onChange={(status) => change({ status })}
      />
      <FilterSelect
        label={text.names.resource}
        value={fields.resource}
        options={RESOURCES}
        labels={text.records}
        onChange={(resource) => change({ resource })}
      />
      <FilterSelect
        label={text.names.event_type}
        value={fields.event_type}
        options={TYPES}
        labels={text.types}
        onChange={(event_type) => change({ event_type })}
      />
      <TimeFilter from={fields.from} to={fields.to} onChange={change} />
      <SearchInput
        label={text.names.target}
        placeholder={text.endpointPlaceholder}
        value={fields.target ?? ""}
        onSearch={(target) => change({ target: target || null })}
        className="max-w-56 min-w-40 flex-1"
      />
    </FilterBar>
  );
}
