"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import type { LatestCheck } from "@/lib/insurance/eligibility/staff-queries";
import type { ShownNote } from "@/lib/insurance/notes/queries";
import type { Policy } from "./fields";
import type { PatientIdentity } from "./form-values";
import { policiesPath } from "./paths";

/** The data of pages about a patient's policies. */
export interface PoliciesData {
  patient: PatientIdentity;
  versioning: boolean;
  policies: Policy[];
}

/** The data of pages about one policy. `policies` are the patient's active ones. */
export interface PolicyData extends PoliciesData {
  policy: Policy;
  /** The latest eligibility check. */
  eligibility: LatestCheck | null;
  /** Those changed last come first. */
  notes: ShownNote[];
}

/** One effect of a write, or of a dry run, on a policy. */
export interface Effect {
  kind: string;
  policy: number;
  rank: number | null;
  card_images: number;
  changed_fields: string[];
}

/** The result of a write. `policy` is null if it was deleted. */
export interface WriteResult {
  policy: Policy | null;
  effects: Effect[];
  /** Whether the legacy record is updated later. */
  pending: boolean;
}

const policyKey = (path: string) => ["policy", path];

/** Loads a policy. */
export function usePolicy(path: string, initialData: PolicyData) {
  return useQuery({
    queryKey: policyKey(path),
    queryFn: ({ signal }) => staffCall<PolicyData>(path, { signal }),
    initialData,
  });
}

/**
 * Writes a policy, then reloads everything on the page: lists, cards and histories show policies too. Runs even while offline, so
 * that the user learns that it can't be saved.
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

/** Returns a function that checks whether a write whose response was lost has changed a policy to a state. */
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
