"use client";

import { useRouter } from "next/navigation";
import { useEffect, useMemo, useRef, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { CallError, isUncertain } from "@/components/session/call-error";
import { useToasts } from "@/components/ui/toasts";
import { isPolicyField, type Policy, policyName, withFieldLabels } from "./fields";
import { createResolver, preloadChecks } from "./form-resolver";
import { type PolicyForm, selectedRank, toForm } from "./form-values";
import { findSavedPolicy, newForm } from "./new-policy";
import { pagePath, policiesPath } from "./paths";
import { defaultDestination } from "./rank-holder";
import { explainFailure } from "./save-failure";
import { previewRank, type SaveAttempt, savePolicy } from "./save-request";
import { type PoliciesData, usePolicyWrite } from "./use-policy";
import { useRankChoice } from "./use-rank-choice";
import { useUndoRankChange } from "./use-undo";

export interface PolicyEditorProps {
  practice: number;
  initial: PoliciesData;
  /** The policy to edit; undefined for a new one. */
  policy?: Policy;
}

/** Holds the state of the policy form and saves it. Whatever goes wrong, the form keeps what was typed. */
export function usePolicyEditor({ practice, initial, policy }: PolicyEditorProps) {
  const router = useRouter();
  const toast = useToasts();
  const [base, setBase] = useState<Policy | null>(policy ?? null);
  const [theirs, setTheirs] = useState<Policy | null>(null);
  const [isComparing, setComparing] = useState(false);
  const [patient, setPatient] = useState(initial.patient);
  const [active, setActive] = useState(initial.policies);
  const [problem, setProblem] = useState<CallError | null>(null);
  const [reason, setReason] = useState("");
  const [isDone, setDone] = useState(false);
  /** How often the user has tried to save. */
  const [attempts, setAttempts] = useState(0);
  /** Set while a save runs and after it succeeded: a second one would add a second policy. */
  const isLocked = useRef(false);
  /** Set if an earlier attempt may have succeeded although its answer was lost. */
  const mayBeSaved = useRef(false);

  const others = active.filter(({ id }) => id !== policy?.id);
  const start = useMemo(() => (base ? toForm(base) : newForm(initial.policies)), [base, initial.policies]);
  const requireCarrier = !policy || Boolean(policy.carrier);
  const form = useForm<PolicyForm>({
    defaultValues: start,
    mode: "onTouched",
    shouldFocusError: false,
    resolver: createResolver(patient, base, requireCarrier),
  });
  useEffect(preloadChecks, []);
  const rank = selectedRank({ rank: useWatch({ control: form.control, name: "rank" }) });
  const rankChoice = useRankChoice({ rank, from: base?.rank ?? null }, others);
  const holderTo = rankChoice?.chosen.to;
  const createUndo = useUndoRankChange(practice, patient.id);
  const path = policiesPath(practice, patient.id, policy?.id);
  const write = usePolicyWrite((attempt: SaveAttempt) => savePolicy(path, attempt, reason.trim()));
  const isBusy = form.formState.isSubmitting || write.isPending || isDone;

  const finish = (saved: Policy, message: string, undo?: () => void) => {
    // Reset the form first: without unsaved changes, leaving the page does not ask.
    setDone(true);
    setBase(saved);
    form.reset(toForm(saved));
    toast.success(message, undo);
    router.push(pagePath(practice, patient.id, "policies", saved.id));
    return true;
  };

  const save = async (attempt: SaveAttempt) => {
    if (isLocked.current) return;
    isLocked.current = true;
    let isSaved = false;
    try {
      setProblem(null);
      isSaved = await send(attempt);
    } finally {
      isLocked.current = isSaved;
    }
  };

  /** Returns whether the policy is saved. */
  const send = async (attempt: SaveAttempt): Promise<boolean> => {
    try {
      if (mayBeSaved.current && !attempt.base) {
        const saved = await findSavedPolicy(path, initial.policies, attempt.values);
        if (saved) return finish(saved, "Your first attempt has already saved the policy.");
      }
      const result = await write.mutateAsync(attempt);
      if (!result.policy) return false;
      const undo = attempt.holderTo ? createUndo(result, attempt.others) : undefined;
      const message = policy ? "The policy is saved." : `${policyName(result.policy)} is added.`;
      const sync = result.pending ? " Sync pending: the legacy record is updated shortly." : "";
      return finish(result.policy, message + sync, undo);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return showFailure(error, attempt);
    }
  };

  /** Shows why a save failed. Returns whether the policy turns out to be saved. */
  const showFailure = async (error: CallError, attempt: SaveAttempt): Promise<boolean> => {
    mayBeSaved.current ||= isUncertain(error);
    const ids = { practice, patient: patient.id, policy: policy?.id };
    const failure = await explainFailure(error, attempt, ids);
    if (failure.saved) return finish(failure.saved, "The policy is saved.");
    if (failure.active) setActive(failure.active);
    if (failure.patient) setPatient(failure.patient);
    if (failure.theirs) {
      setTheirs(failure.theirs);
      setComparing(true);
    }
    for (const [name, messages] of Object.entries(error.fields)) {
      if (isPolicyField(name)) form.setError(name, { type: "server", message: withFieldLabels(messages.join(" ")) });
    }
    setProblem(failure.problem);
    setAttempts((before) => before + 1);
    return false;
  };

  return {
    form,
    start,
    base,
    patient,
    others,
    requireCarrier,
    path,
    problem,
    reason,
    setReason,
    attempts,
    isBusy,
    rankChoice,
    preview: {
      queryKey: [path, base?.version, rank, holderTo, others.map(({ id, version }) => [id, version])],
      run: (signal: AbortSignal) =>
        previewRank(path, { values: form.getValues(), base, patient, others, holderTo }, signal),
      isPaused: isBusy,
    },
    submit: form.handleSubmit(
      (values) => save({ values, base, patient, others, holderTo }),
      () => setAttempts((before) => before + 1),
    ),
    /** What someone else has saved; null if there is no conflict. */
    theirs,
    isComparing,
    setComparing,
    /** Saves the result of the comparison, based on what someone else has saved. */
    saveMerged: (merged: PolicyForm, current: Policy) => {
      setComparing(false);
      setBase(current);
      form.reset(merged);
      const mergedRank = selectedRank(merged);
      const to = mergedRank === rank ? holderTo : defaultDestination({ rank: mergedRank, from: current.rank }, others);
      void save({ values: merged, base: current, patient, others, holderTo: to });
    },
  };
}
