"use client";

import { parseAsString, parseAsStringLiteral } from "nuqs";
import { FilterBar } from "@/components/ui/filter-bar";
import { FilterSelect } from "@/components/ui/filter-select";
import { SearchInput } from "@/components/ui/search-input";
import { useListFilter } from "@/components/ui/use-list-filter";
import { COVERAGES, type Coverage, MISSING, type Missing } from "@/lib/insurance/patients/search-filters";
import { patientFilters as text } from "./messages/patient-list";

const PARSERS = {
  payer: parseAsString,
  plan: parseAsString,
  coverage: parseAsStringLiteral(COVERAGES),
  missing: parseAsStringLiteral(MISSING),
};
const TEXTS = ["payer", "plan"] as const;
const COVERAGE_WORDS: Record<Coverage, string> = text.coverage;
const MISSING_WORDS: Record<Missing, string> = text.missing;
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
      label={text.label}
      names={text.names}
      toWords={(name, value) => WORDS[name]?.[value] ?? value}
      filter={filter}
      remove={remove}
      clear={clear}
    >
      <FilterSelect
        label={text.names.coverage}
        value={fields.coverage}
        options={COVERAGES}
        labels={COVERAGE_WORDS}
        onChange={(coverage) => change({ coverage })}
      />
      <FilterSelect
        label={text.names.missing}
        value={fields.missing}
        options={MISSING}
        labels={MISSING_WORDS}
        onChange={(missing) => change({ missing })}
      />
      {TEXTS.map((name) => (
        <SearchInput
          key={name}
          label={text.names[name]}
          placeholder={text.names[name]}
          value={fields[name] ?? ""}
          onSearch={(search) => change({ [name]: search || null })}
          className="max-w-48 min-w-36 flex-1"
        />
      ))}
    </FilterBar>
  );
}
