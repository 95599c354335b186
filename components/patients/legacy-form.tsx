"use client";

import { Plus } from "lucide-react";
import { useRef } from "react";
import { type FieldErrors, FormProvider } from "react-hook-form";
import { fieldLabel, INSURANCE_FIELDS, rankLabel, rankPhrase } from "@/components/policies/fields";
import { patientNames } from "@/components/policies/messages/fields";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import type { FieldProblem } from "@/components/ui/error-summary";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { toRank } from "@/lib/insurance/fields/limits";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { LegacyEntry } from "./legacy-entry";
import { type Entry, freeRanks, type LegacyFormValues, toEntry } from "./legacy-form-values";
import { LegacySaveBar } from "./legacy-save-bar";
import { legacyForm as text } from "./messages/legacy-form";
import { useLegacyForm } from "./use-legacy-form";

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

/** Edits all insurances of a patient in one form. Saving replaces them all, as it does in the legacy API. */
export function LegacyForm({ practice, data, refresh, canWrite, onOpenForm }: LegacyFormProps) {
  const { form, list, entries, saved, theirs, saving, ...actions } = useLegacyForm({
    practice,
    data,
    refresh,
    onOpenForm,
  });
  const element = useRef<HTMLFormElement>(null);
  const [nextRank] = freeRanks(entries);
  const problems = listProblems(entries, form.formState.errors);
  return (
    <FormProvider {...form}>
      <form
        ref={element}
        noValidate
        aria-label={text.label}
        onSubmit={(event) => {
          event.preventDefault();
          saving.start();
        }}
      >
        <ReadyFieldset>
          {canWrite && <p className="text-soft mb-3">{text.help}</p>}
          {problems.length > 0 && (
            <div className="mb-3">
              <ErrorSummary
                title={text.notSaved(problems.length)}
                problems={problems}
                form={element}
                attempt={saving.attempts}
              />
            </div>
          )}
          {theirs && (
            <LegacyConflict
              theirs={theirs}
              onAdd={(entry) => list.append(entry, { shouldFocus: false })}
              onRemove={list.remove}
              onTakeAll={actions.discard}
              onClose={actions.clearConflict}
            />
          )}
          <div className="flex flex-col gap-4">
            {list.fields.length === 0 && <NoEntries hadSome={saved.length > 0} canWrite={canWrite} />}
            {list.fields.map((field, index) => (
              <LegacyEntry
                key={field.key}
                practice={practice}
                index={index}
                canWrite={canWrite}
                onRemove={() => list.remove(index)}
                onRank={(rank) => actions.changeRank(index, rank)}
              />
            ))}
          </div>
          {canWrite && nextRank && (
            <Button className="screen-only mt-3" onClick={() => list.append(toEntry({ rank: nextRank }))}>
              <Plus aria-hidden className="size-4" /> {text.add(rankPhrase(toRank(nextRank)))}
            </Button>
          )}
          {saving.error && problems.length === 0 && (
            <div className="mt-3">
              <LegacySaveError error={saving.error} />
            </div>
          )}
          {canWrite && form.formState.isDirty && (
            <LegacySaveBar
              isBlocked={data.versioning || data.insurances === null}
              busy={saving.isChecking}
              onDiscard={actions.discardWithUndo}
            />
          )}
        </ReadyFieldset>
      </form>
      {saving.review && (
        <LegacyReview
          name={patientNames.full(data.patient.first_name, data.patient.last_name)}
          before={saved}
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
      <EmptyState title={hadSome ? text.allRemoved : text.none}>
        {hadSome ? text.allRemovedHelp : canWrite && text.noneHelp}
      </EmptyState>
    </div>
  );
}

/** Lists the invalid fields in the order of the form. */
function listProblems(entries: readonly Entry[], errors: FieldErrors<LegacyFormValues>): FieldProblem[] {
  return entries.flatMap(({ rank }, index) =>
    INSURANCE_FIELDS.flatMap((field) => {
      const message = errors.insurances?.[index]?.[field]?.message;
      const label = text.problem(rankLabel(toRank(rank)), fieldLabel(field));
      return message ? [{ name: `insurances.${index}.${field}`, label, message }] : [];
    }),
  );
}
