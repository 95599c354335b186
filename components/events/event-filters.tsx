"use client";

import { debounce, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { inputLook } from "@/components/ui/field";
import { SearchInput } from "@/components/ui/search-input";
import { Time } from "@/components/ui/time";
import { RESOURCES } from "./event-words";
import { ActiveFilters } from "./list-state";
import { TimeFilter } from "./time-filter";

const TYPES = ["saved", "deleted"] as const;
const STATUSES = ["failed", "pending", "processed", "canceled"] as const;
const ORDERS = ["-id", "id"] as const;

const STATE = {
  resource: parseAsStringLiteral(RESOURCES),
  resource_id: parseAsInteger,
  event_type: parseAsStringLiteral(TYPES),
  status: parseAsStringLiteral(STATUSES),
  target: parseAsString,
  from: parseAsString,
  to: parseAsString,
  order: parseAsStringLiteral(ORDERS).withDefault("-id"),
  offset: parseAsInteger.withDefault(0),
};
const NO_FILTER = {
  ...{ resource: null, resource_id: null, event_type: null, status: null },
  ...{ target: null, from: null, to: null, offset: null },
};

/** The list's filter, order and page, which are in the URL. */
export function useEventFilter() {
  const [state, setState] = useQueryStates(STATE);
  const { order, offset, ...fields } = state;
  const set = Object.entries(fields).filter(([, value]) => value !== null && value !== "");
  const filter = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  return { state, setState, filter, order, offset };
}

type Filter = Pick<ReturnType<typeof useEventFilter>, "state" | "setState" | "filter">;

/** What the list can be narrowed to; each filter that is set has a chip that lifts it. */
export function EventFilters({ state, setState, filter }: Filter) {
  const change = (fields: Partial<Record<keyof typeof NO_FILTER, unknown>>) =>
    void setState({ ...fields, offset: null } as Parameters<typeof setState>[0]);
  return (
    <search aria-label="Filter events" className="screen-only mb-2 block">
      <div className="flex flex-wrap items-center gap-2">
        <Choice label="Status" value={state.status} options={STATUSES} onChange={(status) => change({ status })} />
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
          onSearch={(text) => void setState({ target: text || null, offset: null }, { limitUrlUpdates: debounce(250) })}
          className="max-w-56 min-w-40 flex-1"
        />
      </div>
      <ActiveFilters
        filters={Object.entries(filter).map(([name, value = ""]) => ({
          name,
          label: <ChipText name={name} value={value} />,
        }))}
        onRemove={(name) => change({ [name]: null })}
        onClear={() => void setState(NO_FILTER)}
      />
    </search>
  );
}

const CHIPS: Record<string, string> = {
  resource: "Record",
  resource_id: "Record id",
  event_type: "Change",
  status: "Status",
  target: "Target contains",
  from: "From",
  to: "Before",
};

function ChipText({ name, value }: { name: string; value: string }) {
  const isTime = (name === "from" || name === "to") && !Number.isNaN(Date.parse(value));
  return (
    <>
      <span className="text-soft">{CHIPS[name]}</span> {isTime ? <Time value={value} exact /> : wordOf(value)}
    </>
  );
}

const wordOf = (value: string) => value.replaceAll("_", " ");

/** A filter of a few values. */
export function Choice<T extends string>(props: {
  label: string;
  value: T | null;
  options: readonly T[];
  words?: Partial<Record<T, string>>;
  onChange: (value: T | null) => void;
}) {
  const { label, value, options, words, onChange } = props;
  return (
    <select
      aria-label={label}
      className={`${inputLook} w-auto!`}
      value={value ?? ""}
      onChange={(event) => onChange((event.target.value as T) || null)}
    >
      <option value="">{label}: any</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {capital(words?.[option] ?? wordOf(option))}
        </option>
      ))}
    </select>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
