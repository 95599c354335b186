"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import type { Policy } from "./fields";
import type { PatientIdentity } from "./form-values";
import { policiesPath } from "./paths";

/** What pages about a patient's policies show. */
export interface PoliciesData {
  patient: PatientIdentity;
  versioning: boolean;
  policies: Policy[];
}

/** The same of one policy, beside the active ones. */
export interface PolicyData extends PoliciesData {
  policy: Policy;
}

/** One thing a write did, or would do, to a policy. */
export interface Effect {
  kind: string;
  policy: number;
  rank: number | null;
  card_images: number;
  changed_fields: string[];
}

/** What a write did; `policy` null where it is gone. */
export interface WriteResult {
  policy: Policy | null;
  effects: Effect[];
  /** The legacy record follows a little later. */
  pending: boolean;
}

const policyKey = (path: string) => ["policy", path];

/** One policy as it stands now. */
export function usePolicy(path: string, initialData: PolicyData) {
  return useQuery({
    queryKey: policyKey(path),
    queryFn: ({ signal }) => staffCall<PolicyData>(path, { signal }),
    initialData,
  });
}

/**
 * A write on a policy. What is shown anywhere is then asked for again: a policy stands in lists, cards and histories too.
 * It is tried while offline as well, to say that it can't be.
 */
export function usePolicyWrite<V>(write: (input: V) => Promise<WriteResult>) {
  const client = useQueryClient();
  return useMutation<WriteResult, CallError, V>({
    mutationFn: write,
    networkMode: "always",
    onSuccess: ({ policy }) => {
      if (policy) {
        client.setQueryData<PolicyData>(
          policyKey(policiesPath(policy.practice, policy.patient, policy.id)),
          (data) => data && { ...data, policy },
        );
      }
      return void client.invalidateQueries();
    },
  });
}

/** Whether a policy came to what a write was to make of it, where the write's own answer got lost. */
export function findOutcome(path: string, state: "active" | "archived" | "deleted"): () => Promise<WriteResult | null> {
  return async () => {
    const found = (policy: Policy | null): WriteResult => ({ policy, effects: [], pending: false });
    try {
      const { policy } = await staffCall<PolicyData>(path);
      return policy.status === state ? found(policy) : null;
    } catch (error) {
      if (state === "deleted" && error instanceof CallError && error.status === 410) return found(null);
      throw error;
    }
  };
}
