"use client";

import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useId } from "react";
import { useFormContext } from "react-hook-form";
import { staffCall } from "@/components/session/staff-call";
import { TextField } from "@/components/ui/field";
import type { LegacyForm } from "./legacy-form-values";

interface Company {
  id: number;
  carrier: string;
}
interface Plan {
  id: number;
  name: string;
}

/**
 * Carrier and plan: typed, or picked from those the practice knows. A name that is picked takes the practice's record
 * along; one that is typed otherwise stands for itself.
 */
export function LegacyPayerFields({ practice, at, canWrite }: { practice: number; at: number; canWrite: boolean }) {
  const { register, watch, setValue, formState } = useFormContext<LegacyForm>();
  const listId = useId();
  const [carrier, plan, company, planId] = watch([
    `insurances.${at}.carrier`,
    `insurances.${at}.plan`,
    `insurances.${at}.insurance_company`,
    `insurances.${at}.insurance_plan`,
  ]);
  const companies = useFound<Company>(`practices/${practice}/insurers`, carrier, canWrite);
  const plans = useFound<Plan>(`practices/${practice}/insurers/${company}/plans`, plan, canWrite && company !== "");
  const problems = formState.errors.insurances?.[at];
  const set = (field: "insurance_company" | "insurance_plan", id: number | undefined) =>
    setValue(`insurances.${at}.${field}`, id === undefined ? "" : String(id), { shouldDirty: true });
  const nameCarrier = (name: string) => {
    const found = companies.find((each) => sameText(each.carrier, name));
    if (String(found?.id ?? "") === company) return;
    set("insurance_company", found?.id);
    set("insurance_plan", undefined);
  };
  return (
    <>
      <TextField
        label="Carrier"
        list={`${listId}-companies`}
        autoComplete="off"
        maxLength={200}
        {...(company !== "" ? { help: "From the practice's list of companies." } : {})}
        {...(problems?.carrier?.message ? { error: problems.carrier.message } : {})}
        {...register(`insurances.${at}.carrier`, { onChange: (event) => nameCarrier(event.target.value) })}
      />
      <datalist id={`${listId}-companies`}>
        {companies.map((each) => (
          <option key={each.id} value={each.carrier} />
        ))}
      </datalist>
      <TextField
        label="Plan"
        list={`${listId}-plans`}
        autoComplete="off"
        maxLength={200}
        {...(planId !== "" ? { help: "From the company's list of plans." } : {})}
        {...(problems?.plan?.message ? { error: problems.plan.message } : {})}
        {...register(`insurances.${at}.plan`, {
          onChange: (event) => set("insurance_plan", plans.find(({ name }) => sameText(name, event.target.value))?.id),
        })}
      />
      <datalist id={`${listId}-plans`}>
        {plans.map((each) => (
          <option key={each.id} value={each.name} />
        ))}
      </datalist>
    </>
  );
}

const sameText = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

const NONE: never[] = [];

function useFound<T>(path: string, search: string, enabled: boolean): T[] {
  const text = useDeferredValue(search);
  const { data } = useQuery({
    queryKey: [path, text],
    queryFn: ({ signal }) =>
      staffCall<{ results: T[] }>(`${path}?search=${encodeURIComponent(text)}`, { signal, background: true }),
    enabled,
    staleTime: 60_000,
  });
  return data?.results ?? NONE;
}
