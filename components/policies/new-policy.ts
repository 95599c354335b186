import { staffCall } from "@/components/session/staff-call";
import type { Policy } from "./fields";
import { differingUnits, emptyForm, type PolicyForm, toForm } from "./form-values";
import { withMaskedSsn } from "./masked-form";
import { policyAtRank } from "./rank-holder";
import type { PoliciesData } from "./use-policy";

/** A new policy begins at the first rank that is free. */
export function newForm(active: readonly Policy[]): PolicyForm {
  const free = [1, 2, 3].find((rank) => !policyAtRank(active, rank));
  return { ...emptyForm(), rank: free === undefined ? "" : String(free) };
}

/** The patient's policies as they are now, the active ones alone. */
export async function readActivePolicies(path: string): Promise<Policy[]> {
  const { policies } = await staffCall<PoliciesData>(path);
  return policies.filter(({ status }) => status === "active");
}

/** A policy like the form that was not among those `before`. */
export async function findSavedPolicy(
  path: string,
  before: readonly Policy[],
  values: PolicyForm,
): Promise<Policy | undefined> {
  const known = new Set(before.map(({ id }) => id));
  const now = await readActivePolicies(path);
  return now.find((one) => !known.has(one.id) && differingUnits(withMaskedSsn(values), toForm(one)).length === 0);
}
