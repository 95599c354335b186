"use client";

import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { type FieldErrors, FormProvider, useFieldArray, useForm } from "react-hook-form";
import { fieldLabel, INSURANCE_FIELDS } from "@/components/policies/fields";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import type { FieldProblem } from "@/components/ui/error-summary";
import { capitalize, pluralize } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { useToasts } from "@/components/ui/toasts";
import type { RankWord } from "@/lib/insurance/fields/ranks";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { LegacyEntry } from "./legacy-entry";
import {
  type Entry,
  freeRanks,
  isSameInsurances,
  type LegacyFormValues,
  swapRanks,
  toEntry,
  toForm,
} from "./legacy-form-values";
import { LegacySaveBar } from "./legacy-save-bar";
import { useLegacySave } from "./use-legacy-save";
import type { LegacyInsurance } from "./use-patient";

const ErrorSummary = lazyWithRetry(async () => (await import("@/components/ui/error-summary")).ErrorSummary);
const LegacyConflict = lazyWithRetry(async () => (await import("./legacy-conflict")).LegacyConflict);
const LegacySaveError = lazyWithRetry(async () => (await import("./legacy-save-error")).LegacySaveError);
const LegacyReview = lazyWithRetry(async () => (await import("./legacy-review")).LegacyReview);

interface LegacyFormProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  canWrite: boolean;
  onOpenForm: (isOpen: boolean) => void;
}

const toBase = ({ patient, insurances }: PatientPage) => ({
  version: patient.version,
  insurances: insurances ?? [],
});

/** Edits all insurances of a patient in one form. Saving replaces them all, as it does in the legacy API. */
export function LegacyForm({ practice, data, refresh, canWrite, onOpenForm }: LegacyFormProps) {
  /** What the form is based on. */
  const [base, setBase] = useState(() => toBase(data));
  /** What somebody else has saved since; null if there is no conflict. */
  const [theirs, setTheirs] = useState<LegacyInsurance[] | null>(null);
  const form = useForm<LegacyFormValues>({ defaultValues: toForm(base.insurances), shouldFocusError: false });
  const list = useFieldArray({ control: form.control, name: "insurances", keyName: "key" });
  const { isDirty, errors } = form.formState;
  const element = useRef<HTMLFormElement>(null);
  const toast = useToasts();
  const saving = useLegacySave({
    practice,
    patient: data.patient.id,
    form,
    base,
    refresh,
    onSaved: () => setTheirs(null),
  });

  useEffect(() => {
    onOpenForm(isDirty);
  }, [isDirty, onOpenForm]);
  useEffect(() => () => onOpenForm(false), [onOpenForm]);

  // Take over what somebody else has saved, unless the user has typed something: then show the conflict.
  useEffect(() => {
    if (data.insurances === null || data.patient.version === base.version) return;
    setBase(toBase(data));
    if (!isDirty) form.reset(toForm(data.insurances));
    else if (!isSameInsurances(base.insurances, data.insurances)) setTheirs(data.insurances);
  }, [data, base, isDirty, form]);

  const discard = () => {
    form.reset(toForm(base.insurances));
    setTheirs(null);
    saving.reset();
  };
  const discardWithUndo = () => {
    const { insurances: typed } = form.getValues();
    discard();
    toast.success("Changes discarded.", () => list.replace(typed));
  };
  const entries = form.watch("insurances");
  const changeRank = (index: number, rank: RankWord) => {
    // The form already has the new priority; the rendered entries still have the former one.
    const former = entries[index]?.rank;
    if (!former) return;
    const { sorted, newIndex } = swapRanks(form.getValues().insurances, { index, rank, former });
    list.replace(sorted);
    setTimeout(() => form.setFocus(`insurances.${newIndex}.rank`), 0);
  };
  const [nextRank] = freeRanks(entries);
  const problems = listProblems(entries, errors);
  const isBlocked = data.versioning || data.insurances === null;

  return (
    <FormProvider {...form}>
      <form
        ref={element}
        noValidate
        aria-label="Insurances by priority"
        onSubmit={(event) => {
          event.preventDefault();
          saving.start();
        }}
      >
        <ReadyFieldset>
          {canWrite && (
            <p className="text-soft mb-3">
              Saving replaces all insurance records of this patient with new ones that have new IDs, including those you
              did not change.
            </p>
          )}
          {problems.length > 0 && (
            <div className="mb-3">
              <ErrorSummary
                title={`Nothing was saved: ${pluralize(problems.length, "field needs", "fields need")} another look`}
                problems={problems}
                form={element}
                attempt={saving.attempts}
              />
            </div>
          )}
          {theirs && (
            <LegacyConflict
              theirs={toForm(theirs).insurances}
              onAdd={(entry) => list.append(entry, { shouldFocus: false })}
              onRemove={list.remove}
              onTakeAll={discard}
              onClose={() => setTheirs(null)}
            />
          )}
          <div className="flex flex-col gap-4">
            {list.fields.length === 0 && <NoEntries hadSome={base.insurances.length > 0} canWrite={canWrite} />}
            {list.fields.map((field, index) => (
              <LegacyEntry
                key={field.key}
                practice={practice}
                index={index}
                canWrite={canWrite}
                onRemove={() => list.remove(index)}
                onRank={(rank) => changeRank(index, rank)}
              />
            ))}
          </div>
          {canWrite && nextRank && (
            <Button className="screen-only mt-3" onClick={() => list.append(toEntry({ rank: nextRank }))}>
              <Plus aria-hidden className="size-4" /> Add {nextRank} insurance
            </Button>
          )}
          {saving.error && problems.length === 0 && (
            <div className="mt-3">
              <LegacySaveError error={saving.error} />
            </div>
          )}
          {canWrite && isDirty && (
            <LegacySaveBar isBlocked={isBlocked} busy={saving.isChecking} onDiscard={discardWithUndo} />
          )}
        </ReadyFieldset>
      </form>
      {saving.review && (
        <LegacyReview
          name={`${data.patient.first_name} ${data.patient.last_name}`}
          before={toForm(base.insurances).insurances}
          after={entries}
          effects={saving.review}
          busy={saving.isSaving}
          onClose={saving.closeReview}
          onSave={saving.save}
        />
      )}
    </FormProvider>
  );
}

function NoEntries({ hadSome, canWrite }: { hadSome: boolean; canWrite: boolean }) {
  return (
    <div className="border-line bg-raised rounded-md border">
      <EmptyState title={hadSome ? "All insurances removed" : "No insurance recorded"}>
        {hadSome
          ? "Saving ends them all. Discard the changes to keep them."
          : canWrite && "Add the patient's insurance."}
      </EmptyState>
    </div>
  );
}

/** Lists the invalid fields in the order of the form. */
function listProblems(entries: readonly Entry[], errors: FieldErrors<LegacyFormValues>): FieldProblem[] {
  return entries.flatMap(({ rank }, index) =>
    INSURANCE_FIELDS.flatMap((field) => {
      const message = errors.insurances?.[index]?.[field]?.message;
      const label = `${capitalize(rank)}, ${fieldLabel(field)}`;
      return message ? [{ name: `insurances.${index}.${field}`, label, message }] : [];
    }),
  );
}
