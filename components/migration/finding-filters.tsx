"use client";

import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { ActiveFilters, FilterChipText } from "@/components/ui/active-filters";
import { Select } from "@/components/ui/controls";
import { inputClass } from "@/components/ui/field";
import { FilterSelect } from "@/components/ui/filter-select";
import { parseAsOffset } from "@/components/ui/url-state";
import type { FindingGroup } from "@/lib/migration/review-queries";
import { describeCode } from "@/lib/migration/rules/checks";

const SEVERITIES = ["error", "warning"] as const;
const DECISIONS = ["open", "accepted", "skipped"] as const;
const DECISION_WORDS = { accepted: "fix accepted", skipped: "left out" };
const FIXES = ["true", "false"] as const;
const FIX_WORDS = { true: "proposed", false: "none" };
const STATE = {
  code: parseAsString,
  severity: parseAsStringLiteral(SEVERITIES),
  decision: parseAsStringLiteral(DECISIONS),
  fix: parseAsBoolean,
  owner: parseAsInteger,
  patient: parseAsString,
  offset: parseAsOffset,
};
const NO_FILTER = { code: null, severity: null, decision: null, fix: null, owner: null, patient: null, offset: null };
const CHIPS: Record<string, string> = {
  code: "Finding",
  severity: "Severity",
  decision: "Decision",
  fix: "Fix",
  owner: "Owner",
  patient: "Patient",
};

/** The list's filter and page, which are in the URL. */
export function useFindingFilter() {
  const [state, setState] = useQueryStates(STATE);
  const { offset, ...fields } = state;
  const set = Object.entries(fields).filter(([, value]) => value !== null);
  const filter = Object.fromEntries(set.map(([name, value]) => [name, String(value)]));
  return { state, setState, clear: () => void setState(NO_FILTER), filter, fields: Object.fromEntries(set), offset };
}

interface FiltersProps extends Pick<ReturnType<typeof useFindingFilter>, "state" | "setState" | "clear" | "filter"> {
  groups: readonly FindingGroup[];
  colleagues: readonly { id: number; name: string }[];
}

/** What findings can be narrowed to; each filter that is set has a chip that lifts it. */
export function FindingFilters({ state, setState, clear, filter, groups, colleagues }: FiltersProps) {
  const change = (next: object) => void setState({ ...next, offset: null });
  const words = (name: string, value: string) => {
    if (name === "code") return describeCode(value).title;
    if (name === "owner")
      return value === "0" ? "Nobody" : (colleagues.find(({ id }) => String(id) === value)?.name ?? value);
    if (name === "fix") return FIX_WORDS[value as "true" | "false"];
    return DECISION_WORDS[value as keyof typeof DECISION_WORDS] ?? value;
  };
  return (
    <search aria-label="Filter the findings" className="screen-only mb-2 block">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Finding"
          className={`${inputClass} w-auto! max-w-64`}
          value={state.code ?? ""}
          onChange={(event) => change({ code: event.target.value || null })}
        >
          <option value="">Finding: any</option>
          {groups.map(({ code }) => (
            <option key={code} value={code}>
              {describeCode(code).title}
            </option>
          ))}
        </Select>
        <FilterSelect
          label="Severity"
          value={state.severity}
          options={SEVERITIES}
          onChange={(severity) => change({ severity })}
        />
        <FilterSelect
          label="Decision"
          value={state.decision}
          options={DECISIONS}
          labels={DECISION_WORDS}
          onChange={(decision) => change({ decision })}
        />
        <FilterSelect
          label="Fix"
          value={state.fix === null ? null : state.fix ? "true" : "false"}
          options={FIXES}
          labels={FIX_WORDS}
          onChange={(fix) => change({ fix: fix === null ? null : fix === "true" })}
        />
        <Select
          aria-label="Owner"
          className={`${inputClass} w-auto! max-w-48`}
          value={state.owner ?? ""}
          onChange={(event) => change({ owner: event.target.value === "" ? null : Number(event.target.value) })}
        >
          <option value="">Owner: any</option>
          <option value="0">Nobody</option>
          {colleagues.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <ActiveFilters
        filters={Object.entries(filter).map(([name, value]) => ({
          name,
          label: <FilterChipText name={CHIPS[name] ?? name} value={value} isTime={false} text={words(name, value)} />,
        }))}
        onRemove={(name) => change({ [name]: null })}
        onClear={clear}
      />
    </search>
  );
}
