import { staffCall } from "@/components/session/staff-call";
import type { Policy } from "./fields";
import { differingUnits, emptyForm, type PolicyForm, toForm } from "./form-values";
import { withMaskedSsn } from "./masked-form";
import { policyAtRank } from "./rank-holder";
import { hasEnded } from "./term";
import type { PoliciesData } from "./use-policy";

/**
 * Returns the form of a new policy. It has the rank of the policy that it replaces, or the first rank that is free or whose policy has
 * ended.
 */
export function newForm(active: readonly Policy[], today: string, replaced?: number): PolicyForm {
  const isOpen = (rank: number) => {
    const holder = policyAtRank(active, rank);
    return !holder || hasEnded(holder, today);
  };
  const rank = active.find(({ id }) => id === replaced)?.rank ?? [1, 2, 3].find(isOpen);
  return { ...emptyForm(), rank: rank === undefined ? "" : String(rank) };
}

/** Loads the patient's active policies. */
export async function readActivePolicies(path: string): Promise<Policy[]> {
  const { policies } = await staffCall<PoliciesData>(path);
  return policies.filter(({ status }) => status === "active");
}

/** Finds a policy that was added since `before` and has the values of the form. */
export async function findSavedPolicy(
  path: string,
  before: readonly Policy[],
  values: PolicyForm,
): Promise<Policy | undefined> {
  const knownIds = new Set(before.map(({ id }) => id));
  const active = await readActivePolicies(path);
  return active.find(
    (policy) => !knownIds.has(policy.id) && differingUnits(withMaskedSsn(values), toForm(policy)).length === 0,
  );
}
