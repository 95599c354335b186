import { staffCall } from "@/components/session/staff-call";
import type { Policy } from "./fields";
import { differingUnits, emptyForm, type PolicyForm, toForm } from "./form-values";
import { withMaskedSsn } from "./masked-form";
import { policyAtRank } from "./rank-holder";
import type { PoliciesData } from "./use-policy";

/** Returns the form of a new policy, with the first free rank selected. */
export function newForm(active: readonly Policy[]): PolicyForm {
  const free = [1, 2, 3].find((rank) => !policyAtRank(active, rank));
  return { ...emptyForm(), rank: free === undefined ? "" : String(free) };
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
