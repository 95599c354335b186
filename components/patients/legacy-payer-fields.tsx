"use client";

import { useId } from "react";
import { useFormContext } from "react-hook-form";
import { fieldLabel } from "@/components/policies/fields";
import { payerFields as text } from "@/components/policies/messages/payers";
import { usePayers, usePlans } from "@/components/policies/payer-search";
import { TextField } from "@/components/ui/field";
import type { LegacyFormValues } from "./legacy-form-values";

interface LegacyPayerFieldsProps {
  practice: number;
  /** The index of the insurance in the form. */
  index: number;
  canWrite: boolean;
}

/**
 * Shows inputs for carrier and plan, typed or selected from the practice's payers. A name that matches a payer or plan also
 * selects its record; any other name is saved as text.
 */
export function LegacyPayerFields({ practice, index, canWrite }: LegacyPayerFieldsProps) {
  const { register, watch, setValue, formState } = useFormContext<LegacyFormValues>();
  const listId = useId();
  const [carrier, plan, payerId, planId] = watch([
    `insurances.${index}.carrier`,
    `insurances.${index}.plan`,
    `insurances.${index}.insurance_company`,
    `insurances.${index}.insurance_plan`,
  ]);
  const hasPayer = payerId !== "";
  const { found: payers = [] } = usePayers(practice, carrier, { enabled: canWrite, background: true });
  const { found: plans = [] } = usePlans(practice, payerId, plan, { enabled: canWrite && hasPayer, background: true });
  const errors = formState.errors.insurances?.[index];
  const setId = (field: "insurance_company" | "insurance_plan", id: number | undefined) =>
    setValue(`insurances.${index}.${field}`, id === undefined ? "" : String(id), { shouldDirty: true });
  const selectPayer = (name: string) => {
    const payer = payers.find((each) => isSameName(each.carrier, name));
    if (String(payer?.id ?? "") === payerId) return;
    setId("insurance_company", payer?.id);
    setId("insurance_plan", undefined);
  };
  const selectPlan = (name: string) => setId("insurance_plan", plans.find((each) => isSameName(each.name, name))?.id);
  return (
    <>
      <TextField
        label={fieldLabel("carrier")}
        list={`${listId}-payers`}
        autoComplete="off"
        maxLength={200}
        help={hasPayer ? text.payerListed : undefined}
        error={errors?.carrier?.message}
        {...register(`insurances.${index}.carrier`, { onChange: (event) => selectPayer(event.target.value) })}
      />
      <datalist id={`${listId}-payers`}>
        {payers.map(({ id, carrier: name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
      <TextField
        label={fieldLabel("plan")}
        list={`${listId}-plans`}
        autoComplete="off"
        maxLength={200}
        help={planId !== "" ? text.planListed : undefined}
        error={errors?.plan?.message}
        {...register(`insurances.${index}.plan`, { onChange: (event) => selectPlan(event.target.value) })}
      />
      <datalist id={`${listId}-plans`}>
        {hasPayer && plans.map(({ id, name }) => <option key={id} value={name} />)}
      </datalist>
    </>
  );
}

const isSameName = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();
