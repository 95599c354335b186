"use client";

import { useMutation } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { FormProvider, useFieldArray, useForm } from "react-hook-form";
import { fieldLabel, INSURANCE_FIELDS } from "@/components/policies/fields";
import { asDryRun, checkIfLost } from "@/components/policies/lost-answers";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { pluralize } from "@/components/ui/format";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { useToasts } from "@/components/ui/toasts";
import type { RankWord } from "@/lib/insurance/fields/ranks";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { LegacyEntry } from "./legacy-entry";
import {
  type LegacyForm as Form,
  freeRanks,
  sameInsurances,
  toEntry,
  toForm,
  toFormErrors,
  toRequestBody,
  withRank,
} from "./legacy-form-values";
import type { Effect } from "./legacy-review";
import { type LegacyInsurance, patientPath } from "./use-patient";

const ErrorSummary = lazyWithRetry(async () => (await import("@/components/ui/error-summary")).ErrorSummary);
const LegacyConflict = lazyWithRetry(async () => (await import("./legacy-conflict")).LegacyConflict);
const LegacySaveError = lazyWithRetry(async () => (await import("./legacy-save-error")).LegacySaveError);
const LegacyReview = lazyWithRetry(async () => (await import("./legacy-review")).LegacyReview);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

interface LegacyFormProps {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  canWrite: boolean;
  onOpenForm: (open: boolean) => void;
}

/** What the form was last told of the server's records. */
interface Base {
  version: number;
  insurances: LegacyInsurance[];
}

const baseOf = ({ patient, insurances }: PatientPage): Base => ({
  version: patient.version,
  insurances: insurances ?? [],
});

/** All insurances of a patient in one form: saving replaces them all, as it does for every legacy client. */
export function LegacyForm({ practice, data, refresh, canWrite, onOpenForm }: LegacyFormProps) {
  const [base, setBase] = useState(() => baseOf(data));
  const [theirs, setTheirs] = useState<LegacyInsurance[] | null>(null);
  const [review, setReview] = useState<Effect[] | null>(null);
  const form = useForm<Form>({ defaultValues: toForm(base.insurances), shouldFocusError: false });
  const list = useFieldArray({ control: form.control, name: "insurances", keyName: "key" });
  const { isDirty, errors } = form.formState;
  const element = useRef<HTMLFormElement>(null);
  const [attempt, setAttempt] = useState(0);
  const toast = useToasts();

  useEffect(() => {
    onOpenForm(isDirty);
  }, [isDirty, onOpenForm]);
  useEffect(() => () => onOpenForm(false), [onOpenForm]);

  // What somebody else saved: taken over where nothing was typed, told where something was.
  useEffect(() => {
    if (data.insurances === null || data.patient.version === base.version) return;
    setBase(baseOf(data));
    if (!isDirty) form.reset(toForm(data.insurances));
    else if (!sameInsurances(base.insurances, data.insurances)) setTheirs(data.insurances);
  }, [data, base, isDirty, form]);

  const path = `${patientPath(practice, data.patient.id)}/insurances`;
  const put = async (options: { dryRun: boolean; reason?: string }, version = base.version): Promise<unknown> => {
    const body = { insurances: form.getValues().insurances.map(toRequestBody) };
    const query = options.dryRun ? "?dry_run=true" : "";
    const { reason } = options;
    try {
      return await staffCall(path + query, { method: "PUT", body, ifMatch: version, ...(reason ? { reason } : {}) });
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 412) throw error;
      // Another version of the patient may still have the same insurances: a card was added, a name was mended.
      const fresh = await refresh();
      const isSame = fresh.insurances && sameInsurances(base.insurances, fresh.insurances);
      if (!isSame || fresh.patient.version === version) throw error;
      return put(options, fresh.patient.version);
    }
  };
  /** Whether the records are new ones, and those of the form. */
  const findSaved = async (): Promise<true | null> => {
    const { patient, insurances } = await refresh();
    const { isSameAsTyped } = await import("./legacy-differences");
    const isSaved = insurances && isSameAsTyped(toForm(insurances).insurances, form.getValues().insurances);
    return isSaved && patient.version !== base.version ? true : null;
  };
  const fail = (error: Error) => {
    setReview(null);
    if (!(error instanceof CallError)) return;
    const problems = toFormErrors(error.fields);
    for (const { path: field, message } of problems) form.setError(field, { type: "server", message });
    // Once the dialog has given the focus back, and the group of the field is open.
    setTimeout(() => setAttempt((before) => before + 1), 50);
  };
  const check = useMutation({
    mutationFn: () => asDryRun(put({ dryRun: true })) as Promise<{ effects: Effect[] }>,
    // Offline too, to say that it can't be.
    networkMode: "always",
    onSuccess: ({ effects }) => setReview(effects),
    onError: fail,
  });
  const save = useMutation({
    mutationFn: (reason: string) => checkIfLost(put({ dryRun: false, reason }), findSaved),
    networkMode: "always",
    onSuccess: async () => {
      setReview(null);
      setTheirs(null);
      // From here on nothing is unsaved; what the server made of it comes with the next reading.
      form.reset(form.getValues());
      toast.success("The insurances are replaced.");
      await refresh().catch(() => {});
      // What was read meanwhile, before it was known to be what was saved here.
      setTheirs(null);
    },
    onError: fail,
  });
  const start = () => {
    form.clearErrors();
    save.reset();
    check.mutate();
  };
  const discard = () => {
    form.reset(toForm(base.insurances));
    setTheirs(null);
    check.reset();
    save.reset();
  };
  const discardTyped = () => {
    const { insurances: typed } = form.getValues();
    discard();
    toast.success("Changes discarded.", () => list.replace(typed));
  };
  const entries = form.watch("insurances");
  /** The select shows its new value by itself: who had which priority is what was last rendered. */
  const moveToRank = (at: number, rank: RankWord) => {
    const former = entries[at]?.rank as RankWord;
    const { sorted, place } = withRank(form.getValues().insurances, { at, rank, former });
    list.replace(sorted);
    // Focus stays on what was changed.
    setTimeout(() => form.setFocus(`insurances.${place}.rank`), 0);
  };
  const [nextRank] = freeRanks(entries);
  const wrong = entries.flatMap(({ rank }, at) =>
    INSURANCE_FIELDS.flatMap((field) => {
      const message = errors.insurances?.[at]?.[field]?.message;
      return message
        ? [{ name: `insurances.${at}.${field}`, label: `${capital(rank)}, ${fieldLabel(field)}`, message }]
        : [];
    }),
  );
  const error = save.error ?? check.error;
  const isBlocked = data.versioning || data.insurances === null;

  return (
    <FormProvider {...form}>
      <form
        ref={element}
        noValidate
        aria-label="Insurances by priority"
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        <ReadyFieldset>
          {canWrite && (
            <p className="text-soft mb-3">
              Edited as a whole: saving ends all insurance records of this patient and begins new ones with new IDs,
              also for those you did not touch.
            </p>
          )}
          {wrong.length > 0 && (
            <div className="mb-3">
              <ErrorSummary
                title={`Nothing was saved: ${pluralize(wrong.length, "field needs", "fields need")} another look`}
                problems={wrong}
                form={element}
                attempt={attempt}
              />
            </div>
          )}
          {theirs && (
            <LegacyConflict
              theirs={toForm(theirs).insurances}
              onAdd={(entry) => list.append(entry, { shouldFocus: false })}
              onRemove={(at) => list.remove(at)}
              onTakeAll={discard}
              onClose={() => setTheirs(null)}
            />
          )}
          <div className="flex flex-col gap-4">
            {list.fields.length === 0 && (
              <div className="border-line bg-raised rounded-md border">
                <EmptyState title={base.insurances.length > 0 ? "All insurances removed" : "No insurance recorded"}>
                  {base.insurances.length > 0
                    ? "Saving ends them all. Discard the changes to keep them."
                    : canWrite && "Add the insurance the patient brings."}
                </EmptyState>
              </div>
            )}
            {list.fields.map((field, at) => (
              <LegacyEntry
                key={field.key}
                practice={practice}
                at={at}
                canWrite={canWrite}
                onRemove={() => list.remove(at)}
                onRank={(rank) => moveToRank(at, rank)}
              />
            ))}
          </div>
          {canWrite && nextRank && (
            <Button className="screen-only mt-3" onClick={() => list.append(toEntry({ rank: nextRank }))}>
              <Plus aria-hidden className="size-4" /> Add {nextRank} insurance
            </Button>
          )}
          {error && wrong.length === 0 && (
            <div className="mt-3">
              <LegacySaveError error={error} />
            </div>
          )}
          {canWrite && isDirty && (
            <div className="screen-only border-line bg-raised sticky bottom-16 z-10 mt-3 flex flex-wrap items-center justify-end gap-2 rounded-md border px-3 py-2 min-[900px]:bottom-3">
              <p role="status" className="mr-auto font-medium">
                {isBlocked ? "These changes can't be saved" : "Unsaved changes"}
              </p>
              <Button onClick={discardTyped}>Discard changes</Button>
              <Button kind="primary" type="submit" busy={check.isPending} disabled={isBlocked}>
                Review and save
              </Button>
            </div>
          )}
        </ReadyFieldset>
      </form>
      {review && (
        <LegacyReview
          name={`${data.patient.first_name} ${data.patient.last_name}`}
          before={toForm(base.insurances).insurances}
          after={entries}
          effects={review}
          busy={save.isPending}
          onClose={() => setReview(null)}
          onSave={(reason) => save.mutate(reason)}
        />
      )}
    </FormProvider>
  );
}
