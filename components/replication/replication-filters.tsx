"use client";

import { parseAsInteger, parseAsStringLiteral } from "nuqs";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { TimeFilter } from "@/components/ui/time-filter";
import { parseAsInstant } from "@/components/ui/url-state";
import { useListFilter } from "@/components/ui/use-list-filter";
import { DIRECTIONS } from "./directions";

const STATUSES = ["open", "pending", "failed", "acknowledged", "discarded"] as const;
const STATUS_WORDS = { open: "pending or failed", acknowledged: "applied" };
const DIRECTION_KEYS = ["policies_to_patients", "patients_to_policies"] as const;
const DIRECTION_WORDS = {
  policies_to_patients: DIRECTIONS.policies_to_patients.short,
  patients_to_policies: DIRECTIONS.patients_to_policies.short,
};
const WORDS: Record<string, string> = { ...STATUS_WORDS, ...DIRECTION_WORDS };
const PARSERS = {
  status: parseAsStringLiteral(STATUSES),
  direction: parseAsStringLiteral(DIRECTION_KEYS),
  patient: parseAsInteger,
  from: parseAsInstant,
  to: parseAsInstant,
};
const NAMES = {
  status: "Status",
  direction: "Direction",
  patient: "Patient",
  from: "From",
  to: "Before",
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
      label="Filter sync events"
      names={NAMES}
      toWords={(_name, text) => WORDS[text] ?? text}
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
        label="Direction"
        value={fields.direction}
        options={DIRECTION_KEYS}
        labels={DIRECTION_WORDS}
        onChange={(direction) => change({ direction })}
      />
      <TimeFilter from={fields.from} to={fields.to} onChange={change} />
    </FilterBar>
  );
}
