"use client";

import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { Select } from "@/components/ui/controls";
import { inputClass } from "@/components/ui/field";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { useListFilter } from "@/components/ui/use-list-filter";
import { describeCode } from "@/lib/migration/findings/checks";
import type { FindingGroup } from "@/lib/migration/runs/schema";

const SEVERITIES = ["error", "warning"] as const;
const DECISIONS = ["open", "accepted", "corrected", "skipped"] as const;
const FIXES = ["true", "false"] as const;
const LABELS: Record<string, Record<string, string>> = {
  decision: { accepted: "fix accepted" },
  fix: { true: "proposed", false: "none" },
  owner: { 0: "No owner" },
};
const PARSERS = {
  code: parseAsString,
  severity: parseAsStringLiteral(SEVERITIES),
  decision: parseAsStringLiteral(DECISIONS),
  fix: parseAsBoolean,
  owner: parseAsInteger,
  patient: parseAsString,
};
const NAMES = {
  code: "Finding",
  severity: "Severity",
  decision: "Decision",
  fix: "Fix",
  owner: "Owner",
  patient: "Patient",
};

/** Keeps the filter and page of the finding list in the URL. */
export function useFindingFilter() {
  return useListFilter(PARSERS);
}

interface FindingFiltersProps {
  value: ReturnType<typeof useFindingFilter>;
  groups: readonly FindingGroup[];
  colleagues: readonly { id: number; name: string }[];
}

/** Shows the inputs that narrow the finding list. */
export function FindingFilters({ value, groups, colleagues }: FindingFiltersProps) {
  const { fields, filter, change, remove, clear } = value;
  const toWords = (name: string, text: string) => {
    const owner = name === "owner" && colleagues.find(({ id }) => String(id) === text)?.name;
    return name === "code" ? describeCode(text).title : owner || (LABELS[name]?.[text] ?? text);
  };
  return (
    <FilterBar label="Filter findings" names={NAMES} toWords={toWords} filter={filter} remove={remove} clear={clear}>
      <Select
        aria-label="Finding"
        className={`${inputClass} w-auto! max-w-64`}
        value={fields.code ?? ""}
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
        value={fields.severity}
        options={SEVERITIES}
        onChange={(severity) => change({ severity })}
      />
      <FilterSelect
        label="Decision"
        value={fields.decision}
        options={DECISIONS}
        labels={LABELS.decision}
        onChange={(decision) => change({ decision })}
      />
      <FilterSelect
        label="Fix"
        value={fields.fix === null ? null : fields.fix ? "true" : "false"}
        options={FIXES}
        labels={LABELS.fix}
        onChange={(fix) => change({ fix: fix === null ? null : fix === "true" })}
      />
      <Select
        aria-label="Owner"
        className={`${inputClass} w-auto! max-w-48`}
        value={fields.owner ?? ""}
        onChange={(event) => change({ owner: event.target.value === "" ? null : Number(event.target.value) })}
      >
        <option value="">Owner: any</option>
        <option value="0">No owner</option>
        {colleagues.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </FilterBar>
  );
}
