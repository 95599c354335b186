"use client";

import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { ActiveFilters, ChipText } from "@/components/ui/active-filters";
import { Choice, wordOf } from "@/components/ui/choice";
import { SearchInput } from "@/components/ui/search-input";
import { TimeFilter } from "@/components/ui/time-filter";
import { parseAsInstant, parseAsOffset } from "@/components/ui/url-state";
import { RESOURCES, STATUS_WORDS, STATUSES } from "./event-words";

const TYPES = ["saved", "deleted"] as const;
const ORDERS = ["-id", "id"] as const;

const STATE = {
  resource: parseAsStringLiteral(RESOURCES),
  resource_id: parseAsInteger,
  event_type: parseAsStringLiteral(TYPES),
  status: parseAsStringLiteral(STATUSES),
  subscription: parseAsInteger,
  target: parseAsString,
  from: parseAsInstant,
  to: parseAsInstant,
  order: parseAsStringLiteral(ORDERS).withDefault("-id"),
  offset: parseAsOffset,
};
const NO_FILTER = {
  resource: null,
  resource_id: null,
  event_type: null,
  status: null,
  subscription: null,
  target: null,
  from: null,
  to: null,
  offset: null,
};

/** The list's filter, order and page, which are in the URL. */
export function useEventFilter() {
  const [state, setState] = useQueryStates(STATE);
  const { order, offset, ...fields } = state;
  const set = Object.entries(fields).filter(([, value]) => value !== null && value !== "");
  const filter = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  const clear = () => void setState(NO_FILTER);
  return { state, setState, clear, filter, order, offset };
}

type Filter = Pick<ReturnType<typeof useEventFilter>, "state" | "setState" | "clear" | "filter">;

/** What the list can be narrowed to; each filter that is set has a chip that lifts it. */
export function EventFilters({ state, setState, clear, filter }: Filter) {
  const change = (fields: Partial<Record<keyof typeof NO_FILTER, unknown>>) =>
    void setState({ ...fields, offset: null } as Parameters<typeof setState>[0]);
  return (
    <search aria-label="Filter events" className="screen-only mb-2 block">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Status"
          value={state.status}
          options={STATUSES}
          words={STATUS_WORDS}
          onChange={(status) => change({ status })}
        />
        <Choice
          label="Record"
          value={state.resource}
          options={RESOURCES}
          onChange={(resource) => change({ resource })}
        />
        <Choice
          label="Change"
          value={state.event_type}
          options={TYPES}
          onChange={(event_type) => change({ event_type })}
        />
        <TimeFilter from={state.from} to={state.to} onChange={change} />
        <SearchInput
          label="Target contains"
          placeholder="Target contains…"
          value={state.target ?? ""}
          onSearch={(text) => void setState({ target: text || null, offset: null })}
          className="max-w-56 min-w-40 flex-1"
        />
      </div>
      <ActiveFilters
        filters={Object.entries(filter).map(([name, value = ""]) => ({
          name,
          label: (
            <ChipText
              name={CHIPS[name] ?? name}
              value={value}
              isTime={name === "from" || name === "to"}
              words={name === "status" ? STATUS_WORDS[value as keyof typeof STATUS_WORDS] : wordOf(value)}
            />
          ),
        }))}
        onRemove={(name) => change({ [name]: null })}
        onClear={clear}
      />
    </search>
  );
}

const CHIPS: Record<string, string> = {
  resource: "Record",
  resource_id: "Record id",
  event_type: "Change",
  status: "Status",
  subscription: "Subscription",
  target: "Target contains",
  from: "From",
  to: "Before",
};
