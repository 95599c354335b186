"use client";

import { parseAsInteger, parseAsStringLiteral } from "nuqs";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { TimeFilter } from "@/components/ui/time-filter";
import { parseAsInstant } from "@/components/ui/url-state";
import { useListFilter } from "@/components/ui/use-list-filter";
import { DIRECTIONS, syncFilters as text } from "./messages/sync";

const STATUSES = ["open", "pending", "failed", "acknowledged", "discarded"] as const;
const DIRECTION_KEYS = ["policies_to_patients", "patients_to_policies"] as const;
const DIRECTION_WORDS = {
  policies_to_patients: DIRECTIONS.policies_to_patients.short,
  patients_to_policies: DIRECTIONS.patients_to_policies.short,
};
const WORDS: Record<string, string> = { ...text.statuses, ...DIRECTION_WORDS };
const PARSERS = {
  status: parseAsStringLiteral(STATUSES),
  direction: parseAsStringLiteral(DIRECTION_KEYS),
  patient: parseAsInteger,
  from: parseAsInstant,
  to: parseAsInstant,
};

/** Keeps the filter and page of the replication list in the URL. */
export function useReplicationFilter() {
  return useListFilter(PARSERS);
}

/** Shows the inputs that narrow the replication list. */
export function ReplicationFilters({ value }: { value: ReturnType<typeof useReplicationFilter> }) {
  const { fields, filter, change, remove, clear } = value;
  return (
    <FilterBar
      label={text.label}
      names={text.names}
      toWords={(_name, word) => WORDS[word] ?? word}
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
        label={text.names.direction}
        value={fields.direction}
        options={DIRECTION_KEYS}
        labels={DIRECTION_WORDS}
        onChange={(direction) => change({ direction })}
      />
      <TimeFilter from={fields.from} to={fields.to} onChange={change} />
    </FilterBar>
  );
}
