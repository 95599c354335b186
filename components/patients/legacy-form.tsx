"use client";

import { useMutation } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import dynamic from "next/dynamic";
import { useEffect, useState } from "react";
import { FormProvider, useFieldArray, useForm } from "react-hook-form";
import { CallError, staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { ReadyFieldset } from "@/components/ui/ready-fieldset";
import { Notice } from "@/components/ui/status";
import { useToasts } from "@/components/ui/toasts";
import type { RankWord } from "@/lib/insurance/ranks";
import type { PatientPage } from "@/lib/policies/patient-page-queries";
import { LegacyEntry } from "./legacy-entry";
import type { Effect } from "./legacy-review";
import {
  type LegacyForm as Form,
  freeRanks,
  problemsOf,
  sameInsurances,
  toEntry,
  toForm,
  toInput,
} from "./legacy-values";
import { type LegacyInsurance, patientPath } from "./use-patient";

const LegacyConflict = dynamic(() => import("./legacy-conflict").then((module) => module.LegacyConflict), {
  ssr: false,
});
const LegacyReview = dynamic(() => import("./legacy-review").then((module) => module.LegacyReview), { ssr: false });

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
  const { isDirty } = form.formState;
  const say = useToasts();

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
    const body = { insurances: form.getValues().insurances.map(toInput) };
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
  const fail = (error: Error) => {
    setReview(null);
    if (!(error instanceof CallError)) return;
    const problems = problemsOf(error.fields);
    for (const { path: field, message } of problems) form.setError(field, { type: "server", message });
    const [first] = problems;
    // Once the dialog has given the focus back, and the group of the field is open.
    if (first) setTimeout(() => form.setFocus(first.path), 50);
  };
  const check = useMutation({
    mutationFn: () => put({ dryRun: true }) as Promise<{ effects: Effect[] }>,
    onSuccess: ({ effects }) => setReview(effects),
    onError: fail,
  });
  const save = useMutation({
    mutationFn: (reason: string) => put({ dryRun: false, reason }),
    onSuccess: async () => {
      setReview(null);
      setTheirs(null);
      // From here on nothing is unsaved; what the server made of it comes with the next reading.
      form.reset(form.getValues());
      say.done("The insurances are replaced.");
      await refresh().catch(() => {});
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
  const entries = form.watch("insurances");
  const [nextRank] = freeRanks(entries);
  const error = save.error ?? check.error;
  const isBlocked = data.versioning || data.insurances === null;

  return (
    <FormProvider {...form}>
      <form
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
                onRank={(rank) => reprioritise(entries, at, rank, form, list)}
              />
            ))}
          </div>
          {canWrite && nextRank && (
            <Button className="screen-only mt-3" onClick={() => list.append(toEntry({ rank: nextRank }))}>
              <Plus aria-hidden className="size-4" /> Add {nextRank} insurance
            </Button>
          )}
          {error && (
            <div className="mt-3">
              <Notice tone="bad" live title="Nothing was saved">
                {wordsOf(error)}
              </Notice>
            </div>
          )}
          {canWrite && isDirty && (
            <div className="screen-only border-line bg-raised sticky bottom-16 z-10 mt-3 flex flex-wrap items-center justify-end gap-2 rounded-md border px-3 py-2 min-[900px]:bottom-3">
              <p role="status" className="mr-auto font-medium">
                {isBlocked ? "These changes can't be saved" : "Unsaved changes"}
              </p>
              <Button onClick={discard}>Discard changes</Button>
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
      <LeaveGuard unsaved={isDirty && canWrite} what="Your changes of the insurances" />
    </FormProvider>
  );
}

/** Gives an insurance another priority; whoever has it takes the former one. Focus stays on what was changed. */
function reprioritise(
  entries: Form["insurances"],
  at: number,
  rank: RankWord,
  form: ReturnType<typeof useForm<Form>>,
  list: { replace: (entries: Form["insurances"]) => void },
): void {
  const former = entries[at]?.rank as RankWord;
  const changed = form.getValues().insurances.map((entry, place) => {
    if (place === at) return { ...entry, rank };
    return entry.rank === rank ? { ...entry, rank: former } : entry;
  });
  const sorted = [...changed].sort((a, b) => ORDER.indexOf(a.rank) - ORDER.indexOf(b.rank));
  list.replace(sorted);
  const place = sorted.indexOf(changed[at] as Form["insurances"][number]);
  setTimeout(() => form.setFocus(`insurances.${place}.rank`), 0);
}

const ORDER: readonly RankWord[] = ["primary", "secondary", "tertiary"];

function wordsOf(error: Error): string {
  if (!(error instanceof CallError)) return error.message;
  if (error.status === 412)
    return "Somebody else changed these insurances since you opened them. What you typed is kept; compare it above, then review again.";
  if (error.code === "legacy_insurances_deprecated")
    return "The practice's deadline for legacy insurances is enforced: they can't be changed any more, only policies can. What you typed is kept on this page.";
  const [first] = Object.values(error.fields);
  if (first && !Object.keys(error.fields).some((field) => field.startsWith("insurances."))) return first.join(" ");
  return `${error.message} What you typed is kept.`;
}
