"use client";

import { useRef } from "react";
import { CallError, isUncertain } from "@/components/session/call-error";
import { type Policy, policyName } from "./fields";
import { policySaved as text } from "./messages/saving";
import { findSavedPolicy } from "./new-policy";
import { policiesPath } from "./paths";
import { explainFailure, type SaveFailure } from "./save-failure";
import { type SaveAttempt, savePolicy } from "./save-request";
import { usePolicyWrite } from "./use-policy";
import { useUndoRankChange } from "./use-undo";

interface PolicySaveOptions {
  practice: number;
  patient: number;
  /** undefined for a new policy. */
  policy: number | undefined;
  /** The patient's active policies when the form was loaded. */
  before: readonly Policy[];
  reason: string;
  onStart: () => void;
  onSaved: (saved: Policy, message: string, undo?: () => void) => void;
  onFailure: (failure: SaveFailure, error: CallError) => void;
}

/** Saves a policy once, even if the user clicks twice or a response is lost. */
export function usePolicySave(options: PolicySaveOptions) {
  const { practice, patient, policy, before, reason, onStart, onSaved, onFailure } = options;
  /** Set while a save runs and after it succeeded: a second one would add a second policy. */
  const isLocked = useRef(false);
  /** Set if an earlier attempt may have succeeded although its response was lost. */
  const mayBeSaved = useRef(false);
  const createUndo = useUndoRankChange(practice, patient);
  const path = policiesPath(practice, patient, policy);
  const write = usePolicyWrite((attempt: SaveAttempt) => savePolicy(path, attempt, reason.trim()));

  const confirm = (saved: Policy, isPending: boolean) => {
    if (policy) return isPending ? text.savedSyncPending : text.saved;
    return isPending ? text.addedSyncPending(policyName(saved)) : text.added(policyName(saved));
  };

  /** Returns whether the policy is saved. */
  const send = async (attempt: SaveAttempt): Promise<boolean> => {
    try {
      if (mayBeSaved.current && !attempt.base) {
        const saved = await findSavedPolicy(path, before, attempt.values);
        if (saved) {
          onSaved(saved, text.alreadySaved);
          return true;
        }
      }
      const result = await write.mutateAsync(attempt);
      if (!result.policy) return false;
      const undo = attempt.holderTo ? createUndo(result, attempt.others) : undefined;
      onSaved(result.policy, confirm(result.policy, result.pending), undo);
      return true;
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      mayBeSaved.current ||= isUncertain(error);
      const failure = await explainFailure(error, attempt, { practice, patient, policy });
      if (failure.saved) onSaved(failure.saved, text.saved);
      else onFailure(failure, error);
      return failure.saved !== undefined;
    }
  };

  return {
    isSaving: write.isPending,
    save: async (attempt: SaveAttempt) => {
      if (isLocked.current) return;
      isLocked.current = true;
      let isSaved = false;
      try {
        onStart();
        isSaved = await send(attempt);
      } finally {
        isLocked.current = isSaved;
      }
    },
  };
}
