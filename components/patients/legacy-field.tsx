"use client";

import { Controller, useFormContext } from "react-hook-form";
import { fieldHint } from "@/components/policies/field-hint";
import { type FieldInfo, withFieldLabels } from "@/components/policies/fields";
import { DateField } from "@/components/ui/date-field";
import { SelectField, TextField } from "@/components/ui/field";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { PAYMENT_PROGRAMS, RELATIONSHIPS, TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import type { LegacyFormValues } from "./legacy-form-values";
import { legacyEntry as text } from "./messages/legacy-form";

const usStates = lazyImport(async () => (await import("@/components/policies/us-states")).US_STATES);

const CHOICES: Partial<Record<InsuranceField, readonly string[]>> = {
  payment_program: PAYMENT_PROGRAMS,
  relationship_to_insured: RELATIONSHIPS,
};

const MAX_LENGTHS: Partial<Record<InsuranceField, number>> = TEXT_LIMITS;

interface LegacyFieldProps {
  /** The index of the insurance in the form. */
  index: number;
  info: FieldInfo;
}

/** Shows the input for a field of an insurance: a select if it has choices, otherwise text. */
export function LegacyField({ index, info: { name, label, kind } }: LegacyFieldProps) {
  const { register, formState, getValues } = useFormContext<LegacyFormValues>();
  const states = useLazyImport(usStates);
  // The rank has its own input.
  if (name === "rank") return null;
  const message = formState.errors.insurances?.[index]?.[name]?.message;
  const error = message && withFieldLabels(message);
  const hint = fieldHint(name, { forInput: true });
  const path = `insurances.${index}.${name}` as const;
  if (kind === "date" || name === "insured_person_dob") {
    return (
      <Controller<LegacyFormValues, typeof path>
        name={path}
        render={({ field: { ref: _, ...date } }) => (
          <DateField label={label} hint={hint} error={error} isBirthDate={kind !== "date"} {...date} />
        )}
      />
    );
  }
  const input = register(path);
  const choices = kind === "state" ? (states?.map(([code]) => code) ?? []) : CHOICES[name];
  if (choices) {
    // A stored value from outside the form may not be among the choices. Keep it.
    const current = getValues(path);
    return (
      <SelectField label={label} hint={hint} error={error} {...input}>
        <option value="">{name === "relationship_to_insured" ? text.self : text.noChoice}</option>
        {[...new Set(current ? [...choices, current] : choices)].map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      {...input}
      autoComplete="off"
      maxLength={MAX_LENGTHS[name]}
      inputMode={kind === "money" ? "decimal" : kind === "phone" ? "tel" : undefined}
      placeholder={kind === "money" ? "0.00" : undefined}
    />
  );
}
