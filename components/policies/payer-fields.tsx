"use client";

import { type ReactNode, useRef, useState } from "react";
import { type UseFormSetValue, useFormContext, useWatch } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { useLazyImport } from "@/components/ui/lazy-with-retry";
import { useToasts } from "@/components/ui/toasts";
import type { CompanyChoice } from "@/lib/insurance/payers/staff-queries";
import { fieldHint } from "./field-hint";
import { fieldLabel } from "./fields";
import { ClaimsAddressGroup } from "./form-groups";
import { entryRules } from "./form-inputs";
import type { PolicyForm } from "./form-values";
import { payerFields as text } from "./messages/payers";
import {
  ADDRESS,
  type AddressForm,
  isAddressEmpty,
  isPayerAddress,
  type PayerAddress,
  toAddressForm,
} from "./payer-address";
import { usePayers, usePlans } from "./payer-search";
import { SearchSelect } from "./search-select";

const CHANGED = { shouldDirty: true, shouldValidate: true } as const;

/** Shows the input for the carrier: one of the practice's payers, or a typed name. Selecting a payer fills in its address. */
export function CarrierField({ practice, required }: { practice: number; required: boolean }) {
  const { setValue, getValues, control, formState, trigger } = useFormContext<PolicyForm>();
  const [carrier, payer] = useWatch({ control, name: ["carrier", "insurance_company"] });
  const [search, setSearch] = useState("");
  const { found, error, isStale } = usePayers(practice, search, { enabled: true });
  const stored = useSelectedPayer(practice);
  /** The payer whose address this form has filled in. */
  const filled = useRef<PayerAddress | null>(null);
  /** The payer of the list that was selected last. It is kept when the payer is cleared or typed. */
  const lastListed = useRef<PayerAddress | null>(null);
  const fillAddress = (picked: PayerAddress | null) => {
    const previous = stored ?? lastListed.current;
    lastListed.current = picked ?? previous;
    entryRules.whenLoaded((rules) => {
      const form = getValues();
      const isFrom = (listed: PayerAddress | null) => listed !== null && isPayerAddress(form, listed, rules);
      // Without a payer from the list, remove only what this form has filled in, not what is on file.
      const isReplaceable = isFrom(filled.current) || (picked !== null && isFrom(previous));
      if (!isReplaceable && !isAddressEmpty(form)) return;
      filled.current = picked;
      fillIn(setValue, toAddressForm(picked, rules));
    });
  };
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
        if (!picked) return;
        if (picked.id !== payer) fillAddress(picked);
        set(picked.carrier, picked.id);
      }}
      onFreeText={(name) => {
        fillAddress(null);
        set(name, null);
      }}
      onClear={() => {
        fillAddress(null);
        set("", null);
      }}
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

function fillIn(setValue: UseFormSetValue<PolicyForm>, address: AddressForm): void {
  for (const name of ADDRESS) setValue(name, address[name], CHANGED);
}

/** Returns the selected payer as the practice's list has it; undefined for a typed name, and while it loads. */
function useSelectedPayer(practice: number): CompanyChoice | undefined {
  const { control } = useFormContext<PolicyForm>();
  const [carrier, payer] = useWatch({ control, name: ["carrier", "insurance_company"] });
  const { found } = usePayers(practice, carrier, { enabled: payer !== null });
  return payer === null ? undefined : found?.find(({ id }) => id === payer);
}

/** Shows the claims address, and says whether it is the one in the practice's payer list. */
export function ClaimsAddress({ practice, children }: { practice: number; children: ReactNode }) {
  const { control } = useFormContext<PolicyForm>();
  const payer = useSelectedPayer(practice);
  const form = Object.fromEntries(useWatch({ control, name: [...ADDRESS] }).map((value, i) => [ADDRESS[i], value]));
  const rules = useLazyImport(entryRules);
  const isListed = payer && !isAddressEmpty(form as AddressForm) && isPayerAddress(form as AddressForm, payer, rules);
  return (
    <ClaimsAddressGroup isListed={Boolean(isListed)} action={payer && <ClaimsAddressButton payer={payer} />}>
      {children}
    </ClaimsAddressGroup>
  );
}

/** Copies the payer's address into the claims address, which can be undone. Hidden if the payer has no address. */
function ClaimsAddressButton({ payer }: { payer: CompanyChoice }) {
  const { setValue, getValues } = useFormContext<PolicyForm>();
  const toast = useToasts();
  const loaded = useLazyImport(entryRules);
  if (isAddressEmpty(toAddressForm(payer, loaded))) return null;
  const copyAddress = () =>
    entryRules.whenLoaded((rules) => {
      const before = getValues();
      fillIn(setValue, toAddressForm(payer, rules));
      toast.success(text.addressUsed(payer.carrier), () => fillIn(setValue, before));
    });
  return (
    <Button size="small" onClick={copyAddress}>
      {text.copyAddress(payer.carrier)}
    </Button>
  );
}
