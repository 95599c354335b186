"use client";

import { type ReactNode, useState } from "react";
import { useFormContext, useWatch } from "react-hook-form";
import { Field, inputLook, SelectField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/status";
import { PAYMENT_PROGRAMS, RELATIONSHIPS } from "@/lib/insurance/limits";
import { labelOf, type Policy, policyName, rankWord } from "./fields";
import { type PolicyForm, rankIn, tidyMoney } from "./form-values";
import { CarrierField, CompanyAddressButton, PlanField } from "./insurer-fields";
import { holderAt } from "./rank-holder";
import { SearchSelect } from "./search-select";
import { US_STATES } from "./us-states";

type TextName = Exclude<keyof PolicyForm, "insurance_company" | "insurance_plan">;

interface SectionsProps {
  practice: number;
  /** The patient's other active policies. */
  others: readonly Policy[];
  requireCarrier: boolean;
}

/** Every field of a policy that staff edit, in the groups its page shows them in. */
export function FormSections({ practice, others, requireCarrier }: SectionsProps) {
  return (
    <>
      <Group title="Plan">
        <RankField others={others} />
        <Choice name="payment_program" none="Not given" choices={PAYMENT_PROGRAMS} />
        <CarrierField practice={practice} required={requireCarrier} />
        <PlanField practice={practice} />
      </Group>
      <Group title="Member">
        <Text name="member_id" help="As it stands on the card." spellCheck={false} className="[&_input]:font-mono" />
        <Text name="group_id" spellCheck={false} className="[&_input]:font-mono" />
        <Choice name="relationship_to_insured" none="Self, or not given" choices={RELATIONSHIPS} />
      </Group>
      <Group title="Dates and amounts">
        <Text name="start_date" type="date" max="9999-12-31" />
        <Text name="end_date" type="date" max="9999-12-31" help="Empty while it goes on." />
        <Money name="copay" />
        <Money name="deductible" />
      </Group>
      <Group title="Insured person" help="Whose insurance it is, where that is not the patient.">
        <Text name="insured_person_first_name" />
        <Text name="insured_person_last_name" />
        <Text name="insured_person_dob" help="YYYY-MM-DD" placeholder="1980-05-17" />
        <Text name="insured_person_gender" help="One letter, as F or M." />
        <Text name="insured_person_id" spellCheck={false} />
        <Text name="insured_person_ssn" spellCheck={false} help="As 123-45-6789." />
        <Text name="insured_person_address" className="sm:col-span-2" />
        <Text name="insured_person_city" />
        <State name="insured_person_state" />
        <Text name="insured_person_zip" inputMode="numeric" />
      </Group>
      <Group
        title="Claims address"
        help="Where claims and questions go."
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
  const { register, formState } = useFormContext<PolicyForm>();
  return (
    <TextField
      label={labelOf(name)}
      error={formState.errors[name]?.message}
      autoComplete="off"
      {...rest}
      {...register(name)}
    />
  );
}

/** An amount, brought to two decimals when it is left. */
function Money({ name }: { name: "copay" | "deductible" }) {
  const { register, setValue, formState } = useFormContext<PolicyForm>();
  const { onBlur, ...input } = register(name);
  return (
    <Field label={labelOf(name)} error={formState.errors[name]?.message}>
      {(tied) => (
        <div className="relative">
          <span aria-hidden className="text-soft absolute top-1.5 left-2.5">
            $
          </span>
          <input
            {...tied}
            {...input}
            inputMode="decimal"
            autoComplete="off"
            placeholder="0.00"
            className={`${inputLook} pl-6 font-mono`}
            onBlur={(event) => {
              setValue(name, tidyMoney(event.target.value), { shouldDirty: true });
              return onBlur(event);
            }}
          />
        </div>
      )}
    </Field>
  );
}

interface ChoiceProps {
  name: "payment_program" | "relationship_to_insured";
  /** What choosing nothing means. */
  none: string;
  choices: readonly string[];
}

function Choice({ name, none, choices }: ChoiceProps) {
  const { register, formState } = useFormContext<PolicyForm>();
  return (
    <SelectField label={labelOf(name)} error={formState.errors[name]?.message} {...register(name)}>
      <option value="">{none}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </SelectField>
  );
}

/** The rank, with what taking one does to the policy that holds it. */
function RankField({ others }: { others: readonly Policy[] }) {
  const { register, control, formState } = useFormContext<PolicyForm>();
  const rank = useWatch({ control, name: "rank" });
  const holder = holderAt(others, rankIn({ rank }));
  return (
    <div>
      <SelectField label="Rank" error={formState.errors.rank?.message} {...register("rank")}>
        {[1, 2, 3].map((value) => {
          const held = holderAt(others, value);
          return (
            <option key={value} value={value}>
              {rankWord(value)}
              {held ? ` (held by ${policyName(held)})` : ""}
            </option>
          );
        })}
        <option value="">No rank</option>
      </SelectField>
      <div aria-live="polite" className="not-empty:mt-2">
        {holder && (
          <Notice tone="warning">
            Saving archives {policyName(holder)}, which is {rankWord(holder.rank).toLowerCase()} now. It can be
            restored.
          </Notice>
        )}
      </div>
    </div>
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
      label={labelOf(name)}
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
