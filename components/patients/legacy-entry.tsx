"use client";

import { ChevronRight, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { useFormContext } from "react-hook-form";
import { FIELD_GROUPS, type FieldInfo, rankLabel, withFieldLabels } from "@/components/policies/fields";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/controls";
import { SelectField, TextField } from "@/components/ui/field";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import type { InsuranceField } from "@/lib/insurance/fields/fields";
import { PAYMENT_PROGRAMS, RELATIONSHIPS, TEXT_LIMITS } from "@/lib/insurance/fields/limits";
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/ranks";
import { entryName, type LegacyForm } from "./legacy-form-values";
import { LegacyPayerFields } from "./legacy-payer-fields";
import { RankMark } from "./rank-mark";

const usStates = lazyImport(async () => (await import("@/components/policies/us-states")).US_STATES);

interface EntryProps {
  practice: number;
  at: number;
  canWrite: boolean;
  onRemove: () => void;
  onRank: (rank: RankWord) => void;
}

/** One insurance of the form. */
export function LegacyEntry({ practice, at, canWrite, onRemove, onRank }: EntryProps) {
  const { watch, register } = useFormContext<LegacyForm>();
  const entry = watch(`insurances.${at}`);
  if (!entry) return null;
  const rank = RANK_WORDS.indexOf(entry.rank) + 1;
  const word = rankLabel(rank);
  const [plan, ...groups] = FIELD_GROUPS;
  return (
    <fieldset disabled={!canWrite} className="border-line bg-raised min-w-0 rounded-md border p-3">
      <legend className="sr-only">{`${word} insurance`}</legend>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <RankMark rank={rank} />
        <p className="min-w-0 flex-1 basis-32 font-semibold">{entryName(entry)}</p>
        {canWrite && (
          <div className="screen-only flex items-end gap-2">
            <Select
              {...register(`insurances.${at}.rank`)}
              aria-label={`Priority of ${entryName(entry)}`}
              className="border-edge bg-raised h-8 rounded-md border px-2.5"
              onChange={(event) => onRank(event.target.value as RankWord)}
            >
              {RANK_WORDS.map((each, place) => (
                <option key={each} value={each}>
                  {rankLabel(place + 1)}
                </option>
              ))}
            </Select>
            <Button kind="danger" onClick={onRemove}>
              <Trash2 aria-hidden className="size-4" /> Remove {entry.rank}
            </Button>
          </div>
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <LegacyPayerFields practice={practice} at={at} canWrite={canWrite} />
        {(plan?.fields ?? [])
          .filter(({ name }) => !BY_NAME.has(name))
          .map((info) => (
            <LegacyField key={info.name} at={at} info={info} />
          ))}
        {groups
          .filter(({ title }) => !FOLDED.has(title))
          .flatMap(({ fields }) => fields)
          .map((info) => (
            <LegacyField key={info.name} at={at} info={info} />
          ))}
      </div>
      {groups
        .filter(({ title }) => FOLDED.has(title))
        .map(({ title, fields }) => (
          <FoldedGroup key={title} title={title} at={at} fields={fields} />
        ))}
    </fieldset>
  );
}

/** Asked in another way. */
const BY_NAME: ReadonlySet<string> = new Set(["rank", "carrier", "plan"]);
/** Groups that are rarely needed. */
const FOLDED: ReadonlySet<string> = new Set(["Subscriber", "Claims address"]);

/** Fields that are rarely needed: they open by themselves where something in them is wrong. */
function FoldedGroup({ title, at, fields }: { title: string; at: number; fields: readonly FieldInfo[] }) {
  const { watch, formState } = useFormContext<LegacyForm>();
  const entry = watch(`insurances.${at}`);
  const [isOpen, setOpen] = useState(false);
  const problems = formState.errors.insurances?.[at];
  const hasProblem = fields.some(({ name }) => problems?.[name]);
  useEffect(() => {
    if (hasProblem) setOpen(true);
  }, [hasProblem]);
  const filled = fields.filter(({ name }) => entry?.[name]).length;
  return (
    <details
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group border-line mt-3 border-t pt-1"
    >
      <summary className="flex min-h-8 cursor-pointer list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {title}
        <span className="text-soft font-normal">{filled === 0 ? "empty" : `${filled} filled`}</span>
      </summary>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {fields.map((info) => (
          <LegacyField key={info.name} at={at} info={info} />
        ))}
      </div>
    </details>
  );
}

const CHOICES: Partial<Record<string, readonly string[]>> = {
  payment_program: PAYMENT_PROGRAMS,
  relationship_to_insured: RELATIONSHIPS,
};

function LegacyField({ at, info: { name, label, kind } }: { at: number; info: FieldInfo }) {
  const { register, formState, getValues } = useFormContext<LegacyForm>();
  const states = useLazyImport(usStates);
  const field = name as InsuranceField;
  const error = formState.errors.insurances?.[at]?.[field]?.message;
  const input = {
    label,
    ...(error ? { error: withFieldLabels(error) } : {}),
    ...register(`insurances.${at}.${field}`),
  };
  const choices = CHOICES[field] ?? (kind === "state" ? (states?.map(([code]) => code) ?? []) : undefined);
  if (choices) {
    // A value that is none of the choices came from somewhere else, and is not ours to lose.
    const present = getValues(`insurances.${at}.${field}`);
    return (
      <SelectField {...input}>
        <option value="">None</option>
        {[...new Set(present ? [...choices, present] : choices)].map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      {...input}
      autoComplete="off"
      maxLength={TEXT_LIMITS[field as keyof typeof TEXT_LIMITS]}
      {...(kind === "date" ? { type: "date", max: "9999-12-31" } : {})}
      {...(kind === "money" ? { inputMode: "decimal", placeholder: "0.00" } : {})}
      {...(kind === "phone" ? { inputMode: "tel" } : {})}
    />
  );
}
