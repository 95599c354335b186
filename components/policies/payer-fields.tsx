"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { useToasts } from "@/components/ui/toasts";
import type { CompanyChoice, PlanChoice } from "@/lib/insurance/payers/staff-queries";
import type { PolicyForm } from "./form-values";
import { SearchSelect } from "./search-select";

const CHANGED = { shouldDirty: true, shouldValidate: true } as const;

/**
 * What a list under the practice has for a text. The answer to an earlier one stands until the answer to this one is there,
 * and is told to be that.
 */
function useFound<T>(path: string, search: string, enabled: boolean) {
  const text = useDeferredValue(search.trim());
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ["insurers", path, text],
    queryFn: ({ signal }) =>
      staffCall<{ results: T[] }>(`${path}?search=${encodeURIComponent(text)}`, {
        signal,
      }),
    enabled,
    placeholderData: (before, query) => (query?.queryKey[1] === path ? before : undefined),
  });
  return { found: data?.results, error, isStale: isPlaceholderData || text !== search.trim() };
}

/** The insurance companies of a practice that fit what is typed. */
const useCompanies = (practice: number, search: string, enabled: boolean) =>
  useFound<CompanyChoice>(`practices/${practice}/insurers`, search, enabled);

/** The carrier: one of the practice's insurance companies, or a name as typed. */
export function CarrierField({ practice, required }: { practice: number; required: boolean }) {
  const { setValue, control, formState, trigger } = useFormContext<PolicyForm>();
  const [carrier, company] = useWatch({ control, name: ["carrier", "insurance_company"] });
  const [search, setSearch] = useState("");
  const { found, error, isStale } = useCompanies(practice, search, true);
  const set = (name: string, id: number | null) => {
    setValue("carrier", name, CHANGED);
    setValue("insurance_company", id, CHANGED);
    if (id === company) return;
    // A plan is of its company: with another one it would be refused.
    setValue("insurance_plan", null, CHANGED);
    setValue("plan", "", CHANGED);
  };
  const { errors } = formState;
  return (
    <SearchSelect
      name="carrier"
      label="Carrier"
      required={required}
      help={
        company === null
          ? carrier === ""
            ? "One of the practice's insurance companies, or any name."
            : "As typed: none of the practice's insurance companies."
          : "One of the practice's insurance companies."
      }
      error={errors.carrier?.message ?? errors.insurance_company?.message}
      shown={carrier}
      value={company === null ? null : String(company)}
      placeholder="Pick a carrier"
      search={search}
      onSearch={setSearch}
      choices={found?.map(({ id, carrier: name, payer_id, city, state }) => ({
        value: String(id),
        label: name,
        hint: payer_id ? `Payer ${payer_id}` : [city, state].filter(Boolean).join(", ") || undefined,
      }))}
      isStale={isStale}
      problem={error?.message}
      onPick={(value) => {
        const picked = found?.find(({ id }) => id === Number(value));
        if (picked) set(picked.carrier, picked.id);
      }}
      onFreeText={(name) => set(name, null)}
      onClear={() => set("", null)}
      onBlur={() => void trigger("carrier")}
    />
  );
}

/** The plan: one of the company's, or a name as typed. */
export function PlanField({ practice }: { practice: number }) {
  const { setValue, control, formState } = useFormContext<PolicyForm>();
  const [plan, planId, company] = useWatch({ control, name: ["plan", "insurance_plan", "insurance_company"] });
  const [search, setSearch] = useState("");
  const { found, error, isStale } = useFound<PlanChoice>(
    `practices/${practice}/insurers/${company}/plans`,
    search,
    company !== null,
  );
  const set = (name: string, id: number | null) => {
    setValue("plan", name, CHANGED);
    setValue("insurance_plan", id, CHANGED);
  };
  const { errors } = formState;
  const known = company === null ? [] : found;
  return (
    <SearchSelect
      name="plan"
      label="Plan"
      help={planId === null && plan !== "" ? "As typed: none of the company's known plans." : undefined}
      error={errors.plan?.message ?? errors.insurance_plan?.message}
      shown={plan}
      value={planId === null ? null : String(planId)}
      placeholder="Pick a plan"
      search={search}
      onSearch={setSearch}
      choices={known?.map(({ id, name }) => ({ value: String(id), label: name }))}
      isStale={isStale}
      problem={error?.message}
      onPick={(value) => {
        const picked = known?.find(({ id }) => id === Number(value));
        if (picked) set(picked.name, picked.id);
      }}
      onFreeText={(name) => set(name, null)}
      onClear={() => set("", null)}
    />
  );
}

const ADDRESS = ["address", "suite", "city", "state", "zip", "phone", "extension"] as const;

/** Takes the claims address over from the picked company; what stood there can be put back. */
export function CompanyAddressButton({ practice }: { practice: number }) {
  const { setValue, getValues, control } = useFormContext<PolicyForm>();
  const [carrier, company] = useWatch({ control, name: ["carrier", "insurance_company"] });
  const { found } = useCompanies(practice, carrier, company !== null);
  const toast = useToasts();
  const record = found?.find(({ id }) => id === company);
  if (!record || ADDRESS.every((name) => !record[name])) return null;
  const fill = (values: Partial<Record<(typeof ADDRESS)[number], string | null>>) => {
    for (const name of ADDRESS) setValue(name, values[name] ?? "", CHANGED);
  };
  return (
    <Button
      size="small"
      onClick={() => {
        const before = getValues();
        fill(record);
        toast.success(`The claims address is ${record.carrier}'s now. It is not saved yet.`, () => fill(before));
      }}
    >
      Use {record.carrier}’s address
    </Button>
  );
}
