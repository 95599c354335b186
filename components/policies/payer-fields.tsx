"use client";

import { useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { useToasts } from "@/components/ui/toasts";
import { fieldHint } from "./field-hint";
import { fieldLabel } from "./fields";
import type { PolicyForm } from "./form-values";
import { payerFields as text } from "./messages/payers";
import { usePayers, usePlans } from "./payer-search";
import { SearchSelect } from "./search-select";

const CHANGED = { shouldDirty: true, shouldValidate: true } as const;

/** Shows the input for the carrier: one of the practice's payers, or a typed name. */
export function CarrierField({ practice, required }: { practice: number; required: boolean }) {
  const { setValue, control, formState, trigger } = useFormContext<PolicyForm>();
  const [carrier, payer] = useWatch({ control, name: ["carrier", "insurance_company"] });
  const [search, setSearch] = useState("");
  const { found, error, isStale } = usePayers(practice, search, { enabled: true });
  const set = (name: string, id: number | null) => {
    setValue("carrier", name, CHANGED);
    setValue("insurance_company", id, CHANGED);
    if (id === payer) return;
    // A plan belongs to a payer. The server would reject it with another one.
    setValue("insurance_plan", null, CHANGED);
    setValue("plan", "", CHANGED);
  };
  const { errors } = formState;
  return (
    <SearchSelect
      name="carrier"
      label={fieldLabel("carrier")}
      hint={fieldHint("carrier", { forInput: true })}
      required={required}
      help={carrierHelp(carrier, payer)}
      error={errors.carrier?.message ?? errors.insurance_company?.message}
      shown={carrier}
      value={payer === null ? null : String(payer)}
      placeholder={text.selectPayer}
      search={search}
      onSearch={setSearch}
      choices={found?.map(({ id, carrier: name, payer_id, city, state }) => ({
        value: String(id),
        label: name,
        hint: payer_id ? text.payerId(payer_id) : [city, state].filter(Boolean).join(", ") || undefined,
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

function carrierHelp(carrier: string, payer: number | null): string {
  if (payer !== null) return text.payerListed;
  return carrier === "" ? text.payerHelp : text.payerTyped;
}

/** Shows the input for the plan: one of the payer's plans, or a typed name. */
export function PlanField({ practice }: { practice: number }) {
  const { setValue, control, formState } = useFormContext<PolicyForm>();
  const [plan, planId, payer] = useWatch({ control, name: ["plan", "insurance_plan", "insurance_company"] });
  const [search, setSearch] = useState("");
  const plans = usePlans(practice, payer, search, { enabled: payer !== null });
  const found = payer === null ? [] : plans.found;
  const set = (name: string, id: number | null) => {
    setValue("plan", name, CHANGED);
    setValue("insurance_plan", id, CHANGED);
  };
  const { errors } = formState;
  return (
    <SearchSelect
      name="plan"
      label={fieldLabel("plan")}
      help={planId === null && plan !== "" ? text.planTyped : undefined}
      error={errors.plan?.message ?? errors.insurance_plan?.message}
      shown={plan}
      value={planId === null ? null : String(planId)}
      placeholder={text.selectPlan}
      search={search}
      onSearch={setSearch}
      choices={found?.map(({ id, name }) => ({ value: String(id), label: name }))}
      isStale={plans.isStale}
      problem={plans.error?.message}
      onPick={(value) => {
        const picked = found?.find(({ id }) => id === Number(value));
        if (picked) set(picked.name, picked.id);
      }}
      onFreeText={(name) => set(name, null)}
      onClear={() => set("", null)}
    />
  );
}

const ADDRESS = ["address", "suite", "city", "state", "zip", "phone", "extension"] as const;

/** Copies the payer's address into the claims address, which can be undone. Hidden if the payer has no address. */
export function ClaimsAddressButton({ practice }: { practice: number }) {
  const { setValue, getValues, control } = useFormContext<PolicyForm>();
  const [carrier, payerId] = useWatch({ control, name: ["carrier", "insurance_company"] });
  const { found } = usePayers(practice, carrier, { enabled: payerId !== null });
  const toast = useToasts();
  const payer = found?.find(({ id }) => id === payerId);
  if (!payer || ADDRESS.every((name) => !payer[name])) return null;
  const fill = (values: Partial<Record<(typeof ADDRESS)[number], string | null>>) => {
    for (const name of ADDRESS) setValue(name, values[name] ?? "", CHANGED);
  };
  const copyAddress = () => {
    const before = getValues();
    fill(payer);
    toast.success(text.addressUsed(payer.carrier), () => fill(before));
  };
  return (
    <Button size="small" onClick={copyAddress}>
      {text.copyAddress(payer.carrier)}
    </Button>
  );
}
