import { CallError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { type Policy, policyName, rankPhrase } from "./fields";
import { differingUnits, type PatientIdentity, selectedRank, toForm } from "./form-values";
import { withMaskedSsn } from "./masked-form";
import { saveFailure as text } from "./messages/saving";
import { readActivePolicies } from "./new-policy";
import { policiesPath } from "./paths";
import { HOLDER_CHANGED, policyAtRank, RANK_TAKEN } from "./rank-holder";
import type { SaveAttempt } from "./save-request";
import type { PoliciesData, PolicyData } from "./use-policy";

/** Why a save failed, with the current data that the user needs to decide what to do. */
export interface SaveFailure {
  /** The error to show above the form. */
  problem: CallError;
  /** Set if the policy turns out to be saved. */
  saved?: Policy;
  /** Set if someone else has changed the policy. */
  theirs?: Policy;
  /** Set if the patient's record has changed. */
  patient?: PatientIdentity;
  /** Set if another policy holds the rank than the form showed: the patient's active policies. */
  active?: Policy[];
}

interface EditedPolicy {
  practice: number;
  patient: number;
  /** undefined for a new policy. */
  policy: number | undefined;
}

/** Loads what has changed since the form was loaded, if that is why a save failed. */
export async function explainFailure(
  error: CallError,
  { values, base }: SaveAttempt,
  { practice, patient, policy }: EditedPolicy,
): Promise<SaveFailure> {
  const path = policiesPath(practice, patient, policy);
  if (error.code === HOLDER_CHANGED || error.code === RANK_TAKEN) {
    const active = await readActivePolicies(policiesPath(practice, patient)).catch(() => null);
    if (!active) return { problem: error };
    const others = active.filter(({ id }) => id !== policy);
    return { problem: holderError(error, others, selectedRank(values)), active };
  }
  if (error.status === 412 && base) {
    const now = await staffCall<PolicyData>(path).catch((failure: CallError) => failure);
    // While the server can't be reached, keep the original error: the next save gets it again.
    if (now instanceof CallError) return { problem: now.status === 0 ? error : now };
    if (now.policy.status === "archived") return { problem: ARCHIVED };
    const isSaved = differingUnits(withMaskedSsn(values), toForm(now.policy)).length === 0;
    return isSaved ? { problem: error, saved: now.policy } : { problem: error, theirs: now.policy };
  }
  if (error.code === "patient_mismatch") {
    const now = await staffCall<PoliciesData>(path).catch(() => null);
    return now ? { problem: error, patient: now.patient } : { problem: error };
  }
  return { problem: error };
}

/** Says which policy holds the rank now. */
function holderError(error: CallError, others: readonly Policy[], rank: number | null): CallError {
  const holder = policyAtRank(others, rank);
  const message = holder ? text.rankTaken(policyName(holder), rankPhrase(rank)) : text.rankFree(rankPhrase(rank));
  return new CallError(error.status, HOLDER_CHANGED, message);
}

const ARCHIVED = new CallError(409, "policy_archived", text.archived);
