"use client";

import { useEffect, useState } from "react";
import { useFieldArray, useForm } from "react-hook-form";
import { useToasts } from "@/components/ui/toasts";
import type { RankWord } from "@/lib/insurance/fields/limits";
import type { PatientPage } from "@/lib/insurance/patient-page/queries";
import { isSameInsurances, type LegacyFormValues, swapRanks, toForm } from "./legacy-form-values";
import { legacyForm as text } from "./messages/legacy-form";
import { useLegacySave } from "./use-legacy-save";
import type { LegacyInsurance } from "./use-patient";

interface LegacyFormOptions {
  practice: number;
  data: PatientPage;
  refresh: () => Promise<PatientPage>;
  onOpenForm: (isOpen: boolean) => void;
}

const toBase = ({ patient, insurances }: PatientPage) => ({
  version: patient.version,
  insurances: insurances ?? [],
});

/** Holds the state of the form of legacy insurances, and keeps it in sync with what others save. */
export function useLegacyForm({ practice, data, refresh, onOpenForm }: LegacyFormOptions) {
  /** What the form is based on. */
  const [base, setBase] = useState(() => toBase(data));
  /** What someone else has saved since; null if there is no conflict. */
  const [theirs, setTheirs] = useState<LegacyInsurance[] | null>(null);
  const form = useForm<LegacyFormValues>({ defaultValues: toForm(base.insurances), shouldFocusError: false });
  const list = useFieldArray({ control: form.control, name: "insurances", keyName: "key" });
  const { isDirty } = form.formState;
  const toast = useToasts();
  const clearConflict = () => setTheirs(null);
  const saving = useLegacySave({
    practice,
    patient: data.patient.id,
    form,
    base,
    refresh,
    onSaved: clearConflict,
  });

  useEffect(() => {
    onOpenForm(isDirty);
  }, [isDirty, onOpenForm]);
  useEffect(() => () => onOpenForm(false), [onOpenForm]);

  // Show what someone else has saved. If the user has typed something, show the conflict instead.
  useEffect(() => {
    if (data.insurances === null || data.patient.version === base.version) return;
    setBase(toBase(data));
    if (!isDirty) form.reset(toForm(data.insurances));
    else if (!isSameInsurances(base.insurances, data.insurances)) setTheirs(data.insurances);
  }, [data, base, isDirty, form]);

  const entries = form.watch("insurances");
  const discard = () => {
    form.reset(toForm(base.insurances));
    clearConflict();
    saving.reset();
  };
  return {
    form,
    list,
    entries,
    saved: toForm(base.insurances).insurances,
    theirs: theirs && toForm(theirs).insurances,
    clearConflict,
    saving,
    discard,
    discardWithUndo: () => {
      const { insurances: typed } = form.getValues();
      discard();
      toast.success(text.discarded, () => list.replace(typed));
    },
    /** Changes the priority of an insurance. The one that had it gets the former priority. */
    changeRank: (index: number, rank: RankWord) => {
      // The form already has the new priority; the rendered entries still have the former one.
      const former = entries[index]?.rank;
      if (!former) return;
      const { sorted, newIndex } = swapRanks(form.getValues().insurances, { index, rank, former });
      list.replace(sorted);
      setTimeout(() => form.setFocus(`insurances.${newIndex}.rank`), 0);
    },
  };
}
