"use client";

import { type ReactNode, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Input } from "@/components/ui/controls";
import { Field, inputClass, SelectField, TextField } from "@/components/ui/field";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import type { Entry } from "@/lib/insurance/fields/entry-rules";
import { PAYMENT_PROGRAMS, RELATIONSHIPS } from "@/lib/insurance/fields/limits";
import { fieldLabel, type Policy, policyName, rankLabel } from "./fields";
import { normalizeMoney, type PolicyForm } from "./form-values";
import { CarrierField, CompanyAddressButton, PlanField } from "./payer-fields";
import { policyAtRank } from "./rank-holder";
import { SearchSelect } from "./search-select";
import { SsnField } from "./ssn-field";
import { US_STATES } from "./us-states";

// Until these rules load, typed values are not normalized here; the server applies the same rules.
const entryRules = lazyImport(() => import("@/lib/insurance/fields/entry-rules"));

type TextName = Exclude<keyof PolicyForm, "insurance_company" | "insurance_plan">;

interface SectionsProps {
  practice: number;
  /** The patient's other active policies. */
  others: readonly Policy[];
  requireCarrier: boolean;
  /** Where the stored policy is read; undefined for a new one. */
  policyPath: string | undefined;
  /** Its SSN, masked; empty where it has none. */
  stored: string;
  /** What becomes of the policy that holds the rank, where one does. */
  holderChoice: ReactNode;
}

/** Every field of a policy that staff edit, in the groups its page shows them in. */
export function FormSections(props: SectionsProps) {
  const { practice, others, requireCarrier, policyPath, stored, holderChoice } = props;
  return (
    <>
      <Group title="Plan">
        <RankField others={others} />
        {holderChoice && <div className="sm:col-span-2">{holderChoice}</div>}
        <Choice name="payment_program" none="Not entered" choices={PAYMENT_PROGRAMS} />
        <CarrierField practice={practice} required={requireCarrier} />
        <PlanField practice={practice} />
      </Group>
      <Group title="Member">
        <Text name="member_id" help="As shown on the card." spellCheck={false} className="[&_input]:font-mono" />
        <Text name="group_id" spellCheck={false} className="[&_input]:font-mono" />
        <Choice name="relationship_to_insured" none="Self" choices={RELATIONSHIPS} />
      </Group>
      <Group title="Coverage and cost share">
        <Text name="start_date" type="date" max="9999-12-31" />
        <Text name="end_date" type="date" max="9999-12-31" help="Leave blank if still active." />
        <Money name="copay" />
        <Money name="deductible" />
      </Group>
      <Group title="Subscriber" help="Who holds the insurance, where that is not the patient.">
        <Text name="insured_person_first_name" />
        <Text name="insured_person_last_name" />
        <Text name="insured_person_dob" help="Such as 5/17/1980." inputMode="numeric" />
        <Choice name="insured_person_gender" none="Not entered" choices={GENDERS} />
        <Text name="insured_person_id" spellCheck={false} />
        <SsnField name="insured_person_ssn" policyPath={policyPath} stored={stored} help="Format: 123-45-6789" />
        <Text name="insured_person_address" className="sm:col-span-2" />
        <Text name="insured_person_city" />
        <State name="insured_person_state" />
        <Text name="insured_person_zip" inputMode="numeric" />
      </Group>
      <Group
        title="Claims address"
        help="Payer address for claims."
        action={<CompanyAddressButton practice={practice} />}
      >
        <Text name="address" />
        <Text name="suite" />
        <Text name="city" />
        <State name="state" />
        <Text name="zip" inputMode="numeric" />
        <div className="grid grid-cols-[minmax(0,1fr)_96px] gap-3">
          <Text name="phone" type="tel" />
          <Text name="extension" inputMode="numeric" />
        </div>
      </Group>
    </>
  );
}

interface GroupProps {
  title: string;
  help?: string;
  action?: ReactNode;
  children: ReactNode;
}

function Group({ title, help, action, children }: GroupProps) {
  return (
    <fieldset className="border-line min-w-0 border-t pt-4">
      <legend className="sr-only">{title}</legend>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <div>
          <p aria-hidden className="font-semibold">
            {title}
          </p>
          {help && <p className="text-soft">{help}</p>}
        </div>
        {action}
      </div>
      <div className="grid items-start gap-x-4 gap-y-3 sm:grid-cols-2">{children}</div>
    </fieldset>
  );
}

interface TextProps {
  name: TextName;
  help?: string;
  type?: "text" | "date" | "tel";
  max?: string;
  inputMode?: "numeric";
  placeholder?: string;
  spellCheck?: boolean;
  className?: string;
}

function Text({ name, ...rest }: TextProps) {
  const { register, setValue, control, formState } = useFormContext<PolicyForm>();
  const { onBlur, ...input } = register(name);
  const error = formState.errors[name]?.message;
  const stored = formState.defaultValues?.[name] ?? "";
  const value = useWatch({ control, name });
  const rules = useLazyImport(entryRules);
  /** Reformats what was typed the way it is stored. A stored value is left alone until it is edited. */
  const takeStoredForm = (input: HTMLInputElement) => {
    const typed = input.value;
    if (typed === stored) return;
    entryRules.whenLoaded(({ readEntry }) => {
      // The rules may come later than the next change.
      if (input.value !== typed) return;
      const entry = readEntry(name, typed, today());
      if ("value" in entry && entry.value !== typed) setValue(name, entry.value, { shouldDirty: true });
    });
  };
  return (
    <TextField
      label={fieldLabel(name)}
      error={error}
      autoComplete="off"
      {...rest}
      {...(!error && value === stored && { warning: storedProblem(rules?.readEntry(name, stored, today())) })}
      {...input}
      onBlur={(event) => {
        takeStoredForm(event.target);
        return onBlur(event);
      }}
    />
  );
}

const today = () => new Date().toISOString().slice(0, 10);

/** What is wrong with a value that came from somewhere else; it does not keep the rest from being saved. */
function storedProblem(entry: Entry | undefined): string | undefined {
  return entry && "problem" in entry ? `Stored like this before. ${entry.problem} Or leave it as it is.` : undefined;
}

/** An amount, brought to two decimals when it is left. */
function Money({ name }: { name: "copay" | "deductible" }) {
  const { register, setValue, formState } = useFormContext<PolicyForm>();
  const { onBlur, ...input } = register(name);
  return (
    <Field label={fieldLabel(name)} error={formState.errors[name]?.message}>
      {(tied) => (
        <div className="relative">
          <span aria-hidden className="text-soft absolute top-1.5 left-2.5">
            $
          </span>
          <Input
            {...tied}
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

interface ChoiceProps {
  name: "payment_program" | "relationship_to_insured" | "insured_person_gender";
  /** What choosing nothing means. */
  none: string;
  choices: readonly (string | readonly [value: string, label: string])[];
}

const GENDERS = [
  ["F", "Female"],
  ["M", "Male"],
  ["X", "Another gender"],
  ["U", "Unknown"],
] as const;

function Choice({ name, none, choices }: ChoiceProps) {
  const { register, formState } = useFormContext<PolicyForm>();
  const known = choices.map((choice) => (typeof choice === "string" ? ([choice, choice] as const) : choice));
  // A value that is none of the choices came from somewhere else, and is not ours to lose.
  const stored = formState.defaultValues?.[name];
  const all = stored && !known.some(([value]) => value === stored) ? [...known, [stored, stored] as const] : known;
  return (
    <SelectField label={fieldLabel(name)} error={formState.errors[name]?.message} {...register(name)}>
      <option value="">{none}</option>
      {all.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </SelectField>
  );
}

/** The rank; who holds it is said in each choice. */
function RankField({ others }: { others: readonly Policy[] }) {
  const { register, formState } = useFormContext<PolicyForm>();
  return (
    <SelectField label="Rank" error={formState.errors.rank?.message} {...register("rank")}>
      {[1, 2, 3].map((value) => {
        const held = policyAtRank(others, value);
        return (
          <option key={value} value={value}>
            {rankLabel(value)}
            {held ? ` (currently ${policyName(held)})` : ""}
          </option>
        );
      })}
      <option value="">No rank</option>
    </SelectField>
  );
}

function State({ name }: { name: "state" | "insured_person_state" }) {
  const { setValue, control, formState } = useFormContext<PolicyForm>();
  const value = useWatch({ control, name });
  const [search, setSearch] = useState("");
  const text = search.trim().toLowerCase();
  const found = US_STATES.filter(
    ([code, title]) => code.toLowerCase().startsWith(text) || title.toLowerCase().includes(text),
  ).sort(([a], [b]) => Number(b.toLowerCase() === text) - Number(a.toLowerCase() === text));
  const title = US_STATES.find(([code]) => code === value)?.[1];
  const set = (code: string) => setValue(name, code, { shouldDirty: true, shouldValidate: true });
  return (
    <SearchSelect
      name={name}
      label={fieldLabel(name)}
      error={formState.errors[name]?.message}
      shown={title ? `${value} – ${title}` : value}
      value={value}
      placeholder="Pick a state"
      search={search}
      onSearch={setSearch}
      choices={found.map(([code, label]) => ({ value: code, label, hint: code }))}
      onPick={set}
      onClear={() => set("")}
    />
  );
}
