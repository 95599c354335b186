"use client";

import { parseAsBoolean, parseAsInteger, parseAsString, parseAsStringLiteral } from "nuqs";
import { Select } from "@/components/ui/controls";
import { inputClass } from "@/components/ui/field";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { useListFilter } from "@/components/ui/use-list-filter";
import { describeCode } from "@/lib/migration/findings/checks";
import type { FindingGroup } from "@/lib/migration/runs/schema";
import { findingFilters as text } from "./messages/review";

const SEVERITIES = ["error", "warning"] as const;
const DECISIONS = ["open", "accepted", "corrected", "skipped"] as const;
const FIXES = ["true", "false"] as const;
const LABELS: Record<string, Record<string, string>> = {
  severity: text.severities,
  decision: text.decisions,
  fix: text.fixes,
  owner: { 0: text.noOwner },
  decidable: text.decidable,
};
const PARSERS = {
  code: parseAsString,
  severity: parseAsStringLiteral(SEVERITIES),
  decision: parseAsStringLiteral(DECISIONS),
  fix: parseAsBoolean,
  owner: parseAsInteger,
  patient: parseAsString,
  decidable: parseAsBoolean,
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
export function FindingFilters({ value: list, groups, colleagues }: FindingFiltersProps) {
  const { fields, filter, change, remove, clear } = list;
  const toWords = (name: string, value: string) => {
    const owner = name === "owner" && colleagues.find(({ id }) => String(id) === value)?.name;
    return name === "code" ? describeCode(value).title : owner || (LABELS[name]?.[value] ?? value);
  };
  return (
    <FilterBar label={text.label} names={text.names} toWords={toWords} filter={filter} remove={remove} clear={clear}>
      <Select
        aria-label={text.names.code}
        className={`${inputClass} w-auto! max-w-64 max-sm:max-w-full max-sm:grow`}
        value={fields.code ?? ""}
        onChange={(event) => change({ code: event.target.value || null })}
      >
        <option value="">{text.any(text.names.code)}</option>
        {groups.map(({ code }) => (
          <option key={code} value={code}>
            {describeCode(code).title}
          </option>
        ))}
      </Select>
      <FilterSelect
        label={text.names.severity}
        value={fields.severity}
        options={SEVERITIES}
        labels={text.severities}
        onChange={(severity) => change({ severity })}
      />
      <FilterSelect
        label={text.names.decision}
        value={fields.decision}
        options={DECISIONS}
        labels={text.decisions}
        onChange={(decision) => change({ decision })}
      />
      <FilterSelect
        label={text.names.fix}
        value={fields.fix === null ? null : fields.fix ? "true" : "false"}
        options={FIXES}
        labels={text.fixes}
        onChange={(fix) => change({ fix: fix === null ? null : fix === "true" })}
      />
      <Select
        aria-label={text.names.owner}
        className={`${inputClass} w-auto! max-w-48 max-sm:grow`}
        value={fields.owner ?? ""}
        onChange={(event) => change({ owner: event.target.value === "" ? null : Number(event.target.value) })}
      >
        <option value="">{text.any(text.names.owner)}</option>
        <option value="0">{text.noOwner}</option>
        {colleagues.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
    </FilterBar>
  );
}
