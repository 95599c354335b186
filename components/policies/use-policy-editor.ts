"use client";

import { useRouter, useSearchParams } from "next/navigation";
import { useEffect, useMemo, useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import type { CallError } from "@/components/session/call-error";
import { useToasts } from "@/components/ui/toasts";
import type { NewCard } from "./cards/new-card";
import type { ImageLimits } from "./cards/picture";
import { isPolicyField, type Policy, withFieldLabels } from "./fields";
import { createResolver, preloadChecks } from "./form-resolver";
import { type PolicyForm, selectedRank, toForm } from "./form-values";
import { newForm } from "./new-policy";
import { pagePath, policiesPath } from "./paths";
import { defaultDestination } from "./rank-holder";
import { previewRank } from "./save-request";
import { focusCardLater } from "./saved-card";
import { useToday } from "./term";
import type { PoliciesData } from "./use-policy";
import { usePolicySave } from "./use-policy-save";
import { useRankChoice } from "./use-rank-choice";

export interface PolicyEditorProps {
  practice: number;
  initial: PoliciesData;
  /** The policy to edit; undefined for a new one. */
  policy?: Policy;
  /** The limits for card images of a new policy. */
  imageLimits?: ImageLimits;
}

/**
 * Holds the state of the policy form and saves it. If saving fails, the form keeps its input. With `?from=patient`, it returns to the patient
 * page, as a new policy always does. With `?replaces=ID`, a new policy replaces that one, if it is active and has a rank.
 */
export function usePolicyEditor({ practice, initial, policy }: PolicyEditorProps) {
  const router = useRouter();
  const query = useSearchParams();
  const isFromPatient = query.get("from") === "patient";
  const replaces = initial.policies.find(({ id, rank }) => rank !== null && String(id) === query.get("replaces"))?.id;
  const toast = useToasts();
  const [base, setBase] = useState<Policy | null>(policy ?? null);
  const [theirs, setTheirs] = useState<Policy | null>(null);
  const [isComparing, setComparing] = useState(false);
  const [patient, setPatient] = useState(initial.patient);
  const [active, setActive] = useState(initial.policies);
  const [problem, setProblem] = useState<CallError | null>(null);
  const [reason, setReason] = useState("");
  const [isDone, setDone] = useState(false);
  /** The card images of a new policy. */
  const [cards, setCards] = useState<readonly NewCard[]>([]);
  const [hasUnfinishedCard, setUnfinishedCard] = useState(false);
  const [cardReminders, setCardReminders] = useState(0);
  /** The new policy, while its card images are uploaded. */
  const [uploadTo, setUploadTo] = useState<Policy | null>(null);
  /** How often the user has tried to save. */
  const [attempts, setAttempts] = useState(0);

  const others = active.filter(({ id }) => id !== policy?.id);
  const replaced = others.find(({ id }) => id === replaces);
  const today = useToday();
  const [blank] = useState(() => newForm(initial.policies, today, replaces));
  const start = useMemo(() => (base ? toForm(base) : blank), [base, blank]);
  const requireCarrier = !policy || Boolean(policy.carrier);
  const form = useForm<PolicyForm>({
    defaultValues: start,
    mode: "onTouched",
    shouldFocusError: false,
    resolver: createResolver(patient, base, requireCarrier),
  });
  useEffect(preloadChecks, []);
  const rank = selectedRank({ rank: useWatch({ control: form.control, name: "rank" }) });
  const rankChoice = useRankChoice({ rank, from: base?.rank ?? null }, others, replaces);
  const holderTo = rankChoice?.chosen.to;
  /** Adding a policy needs no reason, unless it changes another one. */
  const asksForReason = policy !== undefined || rankChoice !== null;
  const policyPage = policy && pagePath(practice, patient.id, "policies", policy.id);
  const returnPath = policyPage && !isFromPatient ? policyPage : pagePath(practice, patient.id);
  const goBack = ({ id }: Policy) => {
    if (returnPath !== policyPage) focusCardLater(id);
    router.push(returnPath);
  };
  const path = policiesPath(practice, patient.id, policy?.id);
  const { save, isSaving } = usePolicySave({
    practice,
    patient: patient.id,
    policy: policy?.id,
    before: initial.policies,
    reason: asksForReason ? reason : "",
    onStart: () => setProblem(null),
    onSaved: (saved, message, undo) => {
      // Reset the form first: without unsaved changes, leaving the page does not ask.
      setDone(true);
      setBase(saved);
      form.reset(toForm(saved));
      toast.success(message, undo);
      if (cards.length > 0) setUploadTo(saved);
      else goBack(saved);
    },
    onFailure: (failure, error) => {
      if (failure.active) setActive(failure.active);
      if (failure.patient) setPatient(failure.patient);
      if (failure.theirs) {
        setTheirs(failure.theirs);
        setComparing(true);
      }
      for (const [name, messages] of Object.entries(error.fields)) {
        if (!isPolicyField(name)) continue;
        form.setError(name, { type: "server", message: withFieldLabels(messages.join(" ")) });
      }
      setProblem(failure.problem);
      setAttempts((before) => before + 1);
    },
  });
  const isBusy = form.formState.isSubmitting || isSaving || isDone;

  return {
    form,
    start,
    base,
    patient,
    others,
    replaced,
    requireCarrier,
    path,
    problem,
    asksForReason,
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
    cards: {
      cards,
      onChange: setCards,
      onUnfinished: setUnfinishedCard,
      reminders: cardReminders,
      canChange: !isBusy,
    },
    hasCards: cards.length > 0 || hasUnfinishedCard,
    uploadTo,
    returnPath,
    goBack,
    submit: form.handleSubmit(
      (values) => {
        if (hasUnfinishedCard) setCardReminders((before) => before + 1);
        else return save({ values, base, patient, others, holderTo });
      },
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
      const taking = { rank: mergedRank, from: current.rank };
      const to = mergedRank === rank ? holderTo : defaultDestination(taking, others, today);
      void save({ values: merged, base: current, patient, others, holderTo: to });
    },
  };
}
