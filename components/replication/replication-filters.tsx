"use client";

import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { ActiveFilters, ChipText } from "@/components/ui/active-filters";
import { Choice } from "@/components/ui/choice";
import { TimeFilter } from "@/components/ui/time-filter";
import { parseAsInstant, parseAsOffset } from "@/components/ui/url-state";
import { DIRECTIONS } from "./directions";

const STATUSES = ["open", "pending", "failed", "acknowledged", "discarded"] as const;
const WAYS = ["policies_to_patients", "patients_to_policies"] as const;
const STATUS_WORDS = { open: "pending or failed", acknowledged: "applied" };
const WAY_WORDS = {
  policies_to_patients: DIRECTIONS.policies_to_patients.short,
  patients_to_policies: DIRECTIONS.patients_to_policies.short,
};
const WORDS: Record<string, string> = { ...STATUS_WORDS, ...WAY_WORDS };
const STATE = {
  status: parseAsStringLiteral(STATUSES),
  direction: parseAsStringLiteral(WAYS),
  patient: parseAsInteger,
  from: parseAsInstant,
  to: parseAsInstant,
  offset: parseAsOffset,
};
const CHIPS: Record<string, string> = {
  status: "Status",
  direction: "Direction",
  patient: "Patient",
  from: "From",
  to: "Before",
};
const NO_FILTER = { status: null, direction: null, patient: null, from: null, to: null, offset: null };

/** The list's filter and page, which are in the URL. */
export function useReplicationFilter() {
  const [state, setState] = useQueryStates(STATE);
  const { offset, ...fields } = state;
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  const filter = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  const clear = () => void setState(NO_FILTER);
  return { state, setState, clear, filter, offset };
}

type Filter = Pick<ReturnType<typeof useReplicationFilter>, "state" | "setState" | "clear" | "filter">;

/** What the stream can be narrowed to; each filter that is set has a chip that lifts it. */
export function ReplicationFilters({ state, setState, clear, filter }: Filter) {
  const change = (next: object) => void setState({ ...next, offset: null });
  return (
    <search aria-label="Filter the stream" className="screen-only mb-2 block">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Status"
          value={state.status}
          options={STATUSES}
          words={STATUS_WORDS}
          onChange={(status) => change({ status })}
        />
        <Choice
          label="Direction"
          value={state.direction}
          options={WAYS}
          words={WAY_WORDS}
          onChange={(direction) => change({ direction })}
        />
        <TimeFilter from={state.from} to={state.to} onChange={change} />
      </div>
      <ActiveFilters
        filters={Object.entries(filter).map(([name, value]) => ({
          name,
          label: (
            <ChipText
              name={CHIPS[name] ?? name}
              value={value}
              isTime={name === "from" || name === "to"}
              words={WORDS[value] ?? value}
            />
          ),
        }))}
        onRemove={(name) => change({ [name]: null })}
        onClear={clear}
      />
    </search>
  );
}
