"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { UseFormReturn } from "react-hook-form";
import { asDryRun, checkIfLost } from "@/components/policies/lost-responses";
import { patientPath } from "@/components/policies/paths";
import type { Effect } from "@/components/policies/use-policy";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useToasts } from "@/components/ui/toasts";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { isSameInsurances, type LegacyFormValues, toForm, toFormErrors, toRequestBody } from "./legacy-form-values";
import { legacyForm as text } from "./messages/legacy-form";
import type { LegacyInsurance } from "./use-patient";

interface LegacySaveOptions {
  practice: number;
  patient: number;
  form: UseFormReturn<LegacyFormValues>;
  /** What the form is based on. */
  base: { version: number; insurances: LegacyInsurance[] };
  refresh: () => Promise<PatientPage>;
  onSaved: () => void;
}

interface DryRun {
  effects: Effect[];
}

/** Replaces all insurances of a patient: first a dry run whose effects the user reviews, then the actual write. */
export function useLegacySave({ practice, patient, form, base, refresh, onSaved }: LegacySaveOptions) {
  const toast = useToasts();
  const [review, setReview] = useState<Effect[] | null>(null);
  /** Counts the failed attempts. */
  const [attempts, setAttempts] = useState(0);
  const path = `${patientPath(practice, patient)}/insurances`;

  async function put<T>(query: string, reason?: string, version = base.version): Promise<T> {
    const body = { insurances: form.getValues().insurances.map(toRequestBody) };
    try {
      return await staffCall<T>(path + query, { method: "PUT", body, ifMatch: version, reason });
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 412) throw error;
      // The patient may have a new version with the same insurances, for example because a card was added.
      const current = await refresh();
      const isSame = current.insurances && isSameInsurances(base.insurances, current.insurances);
      if (!isSame || current.patient.version === version) throw error;
      return put<T>(query, reason, current.patient.version);
    }
  }
  /** Returns true if the patient has new records that equal the form. */
  const findSaved = async (): Promise<true | null> => {
    const current = await refresh();
    const { isSameAsTyped } = await import("./legacy-differences");
    const isSaved =
      current.insurances && isSameAsTyped(toForm(current.insurances).insurances, form.getValues().insurances);
    return isSaved && current.patient.version !== base.version ? true : null;
  };
  const onError = (error: Error) => {
    setReview(null);
    if (!(error instanceof CallError)) return;
    for (const { path: field, message } of toFormErrors(error.fields)) {
      form.setError(field, { type: "server", message });
    }
    // Wait until the dialog has returned the focus and the field's group has opened.
    setTimeout(() => setAttempts((before) => before + 1), 50);
  };
  // Both run even while offline, so that the user learns that they can't be done.
  const check = useMutation({
    mutationFn: () => asDryRun(put<DryRun>("?dry_run=true")),
    networkMode: "always",
    onSuccess: ({ effects }) => setReview(effects),
    onError,
  });
  const save = useMutation({
    mutationFn: (reason: string) =>
      checkIfLost(
        put("", reason).then((): true => true),
        findSaved,
      ),
    networkMode: "always",
    onSuccess: async () => {
      setReview(null);
      onSaved();
      // Everything is saved now. The refresh loads the stored records.
      form.reset(form.getValues());
      toast.success(text.saved);
      await refresh().catch(() => {});
      // A refresh in between may have mistaken our own changes for someone else's.
      onSaved();
    },
    onError,
  });
  return {
    review,
    closeReview: () => setReview(null),
    attempts,
    error: save.error ?? check.error,
    isChecking: check.isPending,
    isSaving: save.isPending,
    /** Makes the dry run. */
    start: () => {
      form.clearErrors();
      save.reset();
      check.mutate();
    },
    /** Replaces the insurances. */
    save: (reason: string) => save.mutate(reason),
    reset: () => {
      check.reset();
      save.reset();
    },
  };
}
