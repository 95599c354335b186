"use client";

import { parseAsString, parseAsStringLiteral } from "nuqs";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { SearchInput } from "@/components/ui/search-input";
import { useListFilter } from "@/components/ui/use-list-filter";
import { COVERAGES, type Coverage, MISSING, type Missing } from "@/lib/insurance/patients/search-filters";

const PARSERS = {
  payer: parseAsString,
  plan: parseAsString,
  coverage: parseAsStringLiteral(COVERAGES),
  missing: parseAsStringLiteral(MISSING),
};
const NAMES = { payer: "Payer", plan: "Plan", coverage: "Coverage", missing: "Missing" };
const TEXTS = ["payer", "plan"] as const;
const COVERAGE_WORDS: Record<Coverage, string> = {
  active: "active primary",
  ended: "primary has ended",
  no_primary: "no primary",
  archived_only: "archived policies only",
  none: "no insurance",
};
const MISSING_WORDS: Record<Missing, string> = { card: "front of the card", member_id: "member ID" };
const WORDS: Record<string, Record<string, string>> = { coverage: COVERAGE_WORDS, missing: MISSING_WORDS };

/** Keeps the filter and page of the list of patients in the URL. */
export function usePatientFilter() {
  return useListFilter(PARSERS);
}

/** Shows the inputs that narrow the list of patients. */
export function PatientFilters({ value }: { value: ReturnType<typeof usePatientFilter> }) {
  const { fields, filter, change, remove, clear } = value;
  return (
    <FilterBar
      label="Filter patients"
      names={NAMES}
      toWords={(name, text) => WORDS[name]?.[text] ?? text}
      filter={filter}
      remove={remove}
      clear={clear}
    >
      <FilterSelect
        label="Coverage"
        value={fields.coverage}
        options={COVERAGES}
        labels={COVERAGE_WORDS}
        onChange={(coverage) => change({ coverage })}
      />
      <FilterSelect
        label="Missing"
        value={fields.missing}
        options={MISSING}
        labels={MISSING_WORDS}
        onChange={(missing) => change({ missing })}
      />
      {TEXTS.map((name) => (
        <SearchInput
          key={name}
          label={NAMES[name]}
          placeholder={NAMES[name]}
          value={fields[name] ?? ""}
          onSearch={(text) => change({ [name]: text || null })}
          className="max-w-48 min-w-36 flex-1"
        />
      ))}
    </FilterBar>
  );
}
