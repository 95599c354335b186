import { staffCall } from "@/components/session/staff-call";
import { FIELD_UNITS, type FieldUnit, type Policy } from "./fields";
import {
  differingUnits,
  type PatientIdentity,
  type PolicyForm,
  selectedRank,
  toForm,
  toRequestBody,
} from "./form-values";
import { asDryRun } from "./lost-responses";
import { expectedHolder, type HolderDestination } from "./rank-holder";
import type { WriteResult } from "./use-policy";

/** Everything that an attempt to save the form depends on. */
export interface SaveAttempt {
  values: PolicyForm;
  /** The version that the changes are based on; null for a new policy. */
  base: Policy | null;
  patient: PatientIdentity;
  /** The patient's other active policies, as the form shows them. */
  others: readonly Policy[];
  /** Where the policy goes that holds the selected rank, if there is one. */
  holderTo: HolderDestination | undefined;
}

/** Creates a policy, or saves the fields that have changed. */
export function savePolicy(path: string, attempt: SaveAttempt, reason: string): Promise<WriteResult> {
  const { values, base } = attempt;
  const units = base ? differingUnits(values, toForm(base)) : FIELD_UNITS;
  return staffCall<WriteResult>(path, { ...createRequest(attempt, units), reason });
}

/** Returns what saving only the rank would do. */
export function previewRank(path: string, attempt: SaveAttempt, signal: AbortSignal): Promise<WriteResult> {
  return asDryRun(staffCall<WriteResult>(`${path}?dry_run=true`, { ...createRequest(attempt, RANK_UNIT), signal }));
}

const RANK_UNIT = FIELD_UNITS.filter(({ info }) => info.name === "rank");

function createRequest({ values, base, patient, others, holderTo }: SaveAttempt, units: readonly FieldUnit[]) {
  const body = {
    ...toRequestBody(values, patient, units),
    ...expectedHolder(others, selectedRank(values)),
    rank_holder_to: holderTo,
  };
  return { method: base ? ("PUT" as const) : ("POST" as const), body, ifMatch: base?.version };
}
