"use client";

import type { FocusEvent } from "react";
import { useController, useFormContext, useWatch } from "react-hook-form";
import { Input } from "@/components/ui/controls";
import { DateField } from "@/components/ui/date-field";
import { Field, inputClass, SelectField, TextField } from "@/components/ui/field";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import { fieldHint } from "./field-hint";
import { fieldLabel, type Policy, policyName, rankLabel, rankPhrase } from "./fields";
import { normalizeMoney, type PolicyForm, selectedRank } from "./form-values";
import { formInputs as text } from "./messages/form";
import { policyAtRank } from "./rank-holder";

// Until the rules load, typed values are not normalized here. The server applies the same rules.
export const entryRules = lazyImport(() => import("@/lib/insurance/fields/entry-rules"));

interface TextInputProps {
  name: Exclude<keyof PolicyForm, "insurance_company" | "insurance_plan">;
  help?: string;
  type?: "text" | "tel";
  inputMode?: "numeric";
  spellCheck?: boolean;
  className?: string;
}

/** Registers an input whose value is normalized when the user leaves it. */
export function useNormalizedInput(name: TextInputProps["name"]) {
  const { register, setValue, formState } = useFormContext<PolicyForm>();
  const { onBlur, ...input } = register(name);
  const stored = formState.defaultValues?.[name] ?? "";
  const normalize = (element: HTMLInputElement) => {
    const typed = element.value;
    // Keep a stored value until it is edited.
    if (typed === stored) return;
    entryRules.whenLoaded(({ readEntry }) => {
      // The value may have changed while the rules were loading.
      if (element.value !== typed) return;
      const entry = readEntry(name, typed, today());
      if ("value" in entry && entry.value !== typed) setValue(name, entry.value, { shouldDirty: true });
    });
  };
  return {
    ...input,
    onBlur: (event: FocusEvent<HTMLInputElement>) => {
      normalize(event.target);
      return onBlur(event);
    },
  };
}

/** Shows a text input, and warns about a stored value that is invalid. */
export function TextInput({ name, ...rest }: TextInputProps) {
  const { formState } = useFormContext<PolicyForm>();
  const error = formState.errors[name]?.message;
  const warning = useStoredProblem(name);
  return (
    <TextField
      label={fieldLabel(name)}
      hint={fieldHint(name, { forInput: true })}
      error={error}
      warning={error ? undefined : warning}
      autoComplete="off"
      {...rest}
      {...useNormalizedInput(name)}
    />
  );
}

interface DateInputProps {
  name: "start_date" | "end_date" | "insured_person_dob";
  help?: string;
}

/** Shows an input for a date, and warns about a stored value that is invalid. */
export function DateInput({ name, help }: DateInputProps) {
  const { field, fieldState } = useController<PolicyForm, DateInputProps["name"]>({ name });
  const { ref: _, ...input } = field;
  const error = fieldState.error?.message;
  const warning = useStoredProblem(name);
  return (
    <DateField
      label={fieldLabel(name)}
      hint={fieldHint(name, { forInput: true })}
      help={help}
      error={error}
      warning={error ? undefined : warning}
      isBirthDate={name === "insured_person_dob"}
      {...input}
    />
  );
}

export const today = () => new Date().toISOString().slice(0, 10);

/** Says what is wrong with a stored value, which came from outside the form. It does not prevent saving. */
function useStoredProblem(name: TextInputProps["name"]): string | undefined {
  const { control, formState } = useFormContext<PolicyForm>();
  const value = useWatch({ control, name });
  const rules = useLazyImport(entryRules);
  const stored = formState.defaultValues?.[name] ?? "";
  if (value !== stored) return undefined;
  const entry = rules?.readEntry(name, stored, today());
  return entry && "problem" in entry ? text.invalidOnFile(entry.problem) : undefined;
}

/** Shows an input for an amount, which gets two decimals when the user leaves it. */
export function MoneyInput({ name }: { name: "copay" | "deductible" }) {
  const { register, setValue, formState } = useFormContext<PolicyForm>();
  const { onBlur, ...input } = register(name);
  return (
    <Field label={fieldLabel(name)} hint={fieldHint(name, { forInput: true })} error={formState.errors[name]?.message}>
      {(fieldProps) => (
        <div className="relative">
          <span aria-hidden className="text-soft absolute top-1.5 left-2.5">
            $
          </span>
          <Input
            {...fieldProps}
            {...input}
            inputMode="decimal"
            autoComplete="off"
            placeholder="0.00"
            className={`${inputClass} pl-6 font-mono`}
            onBlur={(event) => {
              setValue(name, normalizeMoney(event.target.value), { shouldDirty: true });
              return onBlur(event);
            }}
          />
        </div>
      )}
    </Field>
  );
}

interface ChoiceInputProps {
  name: "payment_program" | "relationship_to_insured" | "insured_person_gender";
  /** The label of the empty choice. */
  none: string;
  choices: readonly (string | readonly [value: string, label: string])[];
}

export function ChoiceInput({ name, none, choices }: ChoiceInputProps) {
  const { register, formState } = useFormContext<PolicyForm>();
  const known = choices.map((choice) => (typeof choice === "string" ? ([choice, choice] as const) : choice));
  // A stored value from outside the form may not be among the choices. Keep it.
  const stored = formState.defaultValues?.[name];
  const all = stored && !known.some(([value]) => value === stored) ? [...known, [stored, stored] as const] : known;
  return (
    <SelectField
      label={fieldLabel(name)}
      hint={fieldHint(name, { forInput: true })}
      error={formState.errors[name]?.message}
      {...register(name)}
    >
      <option value="">{none}</option>
      {all.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}

interface RankInputProps {
  others: readonly Policy[];
  /** The policy that a new one is meant to replace. */
  replaced: Policy | undefined;
}

/** Shows a select for the rank. Each choice names the policy that holds it. Warns if the policy to replace would stay active. */
export function RankInput({ others, replaced }: RankInputProps) {
  const { register, control, formState } = useFormContext<PolicyForm>();
  const rank = selectedRank({ rank: useWatch({ control, name: "rank" }) });
  const isKept = replaced !== undefined && replaced.rank !== null && replaced.rank !== rank;
  return (
    <SelectField
      label={fieldLabel("rank")}
      hint={fieldHint("rank", { forInput: true })}
      error={formState.errors.rank?.message}
      warning={
        isKept
          ? text.replacedStays(policyName(replaced), rankPhrase(replaced.rank), rankLabel(replaced.rank))
          : undefined
      }
      {...register("rank")}
    >
      {[1, 2, 3].map((value) => {
        const holder = policyAtRank(others, value);
        return (
          <option key={value} value={value}>
            {holder ? text.rankTaken(rankLabel(value), policyName(holder)) : rankLabel(value)}
          </option>
        );
      })}
      <option value="">{rankLabel(null)}</option>
    </SelectField>
  );
}
