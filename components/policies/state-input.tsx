"use client";

import { useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { fieldLabel } from "./fields";
import type { PolicyForm } from "./form-values";
import { formInputs as text } from "./messages/form";
import { SearchSelect } from "./search-select";
import { US_STATES } from "./us-states";

/** Shows the input for a US state, found by code or name. */
export function StateInput({ name }: { name: "state" | "insured_person_state" }) {
  const { setValue, control, formState } = useFormContext<PolicyForm>();
  const value = useWatch({ control, name });
  const [search, setSearch] = useState("");
  const stateName = US_STATES.find(([code]) => code === value)?.[1];
  const set = (code: string) => setValue(name, code, { shouldDirty: true, shouldValidate: true });
  return (
    <SearchSelect
      name={name}
      label={fieldLabel(name)}
      error={formState.errors[name]?.message}
      shown={stateName ? text.state(value, stateName) : value}
      value={value}
      placeholder={text.selectState}
      search={search}
      onSearch={setSearch}
      choices={findStates(search).map(([code, label]) => ({ value: code, label, hint: code }))}
      onPick={set}
      onClear={() => set("")}
    />
  );
}

/** Finds states by code or name, an exact code first. */
function findStates(search: string) {
  const text = search.trim().toLowerCase();
  return US_STATES.filter(
    ([code, name]) => code.toLowerCase().startsWith(text) || name.toLowerCase().includes(text),
  ).sort(([a], [b]) => Number(b.toLowerCase() === text) - Number(a.toLowerCase() === text));
}
