"use client";

import { useQueryClient } from "@tanstack/react-query";
import { CallError, isUncertain } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { useToasts } from "@/components/ui/toasts";
import type { Policy } from "./fields";
import { rankUndo as text } from "./messages/saving";
import { policiesPath } from "./paths";
import type { WriteResult } from "./use-policy";

/**
 * Undoes a write that changed ranks. Every policy gets its former values, as a new version.
 *
 * @returns a function that returns the undo of a write; undefined if the write changed no policies that the page knows
 */
export function useUndoRankChange(practice: number, patient: number) {
  const client = useQueryClient();
  const toast = useToasts();
  return ({ policy, effects }: WriteResult, others: readonly Policy[]): (() => void) | undefined => {
    if (!policy || effects.length === 0) return undefined;
    // A write increments the version of each policy it changes.
    const seen = new Map(others.map(({ id, version }) => [id, version + 1]));
    const ids = [...new Set([policy.id, ...effects.map((effect) => effect.policy)])];
    const policies = ids.map((id) => ({ id, version: id === policy.id ? policy.version : seen.get(id) }));
    if (policies.some(({ version }) => version === undefined)) return undefined;
    return () => {
      staffCall(`${policiesPath(practice, patient)}/undo`, { method: "POST", body: { policies }, reason: text.reason })
        .finally(() => client.invalidateQueries())
        .then(
          () => toast.success(text.done),
          (error: Error) => toast.error(explain(error)),
        );
    };
  };
}

function explain(error: Error): string {
  if (isUncertain(error)) return text.uncertain(error.message);
  if (error instanceof CallError && error.status === 412) return text.changed;
  return text.failed(error.message);
}
