import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { insuranceProblems, pickInsurance } from "@/lib/insurance/fields/fields";
import type { PolicyPatch } from "@/lib/insurance/fields/policy-fields";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { findReferenceProblems } from "@/lib/insurance/patients/payer-references";
import { patientIdentity, requireActive, requireSamePatient } from "@/lib/insurance/policies/rules";
import type { PolicyRow, RankTakeover } from "@/lib/insurance/policies/schema";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { throwIfInvalid } from "@/lib/platform/errors";
import type { IfMatch } from "@/lib/platform/http/conditional";

/**
 * Updates an active policy in place (state table row 2). Sets the fields that are sent and clears those sent as `null`.
 * Omitted fields are left unchanged. A write that changes nothing creates no version.
 *
 * @param staff for a write by staff: what happens to the policy that holds the rank, which is archived by default. The entered
 *   values are normalized
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws DomainError rank_holder_changed
 * @throws ConflictError policy_archived, or rank_taken if the other policy would move to a rank that is held
 * @throws BusinessRuleError patient_mismatch
 * @throws ValidationError naming every invalid field
 */
export async function updatePolicy(
  request: WriteRequest,
  policyId: number,
  input: PolicyPatch,
  ifMatch: IfMatch,
  staff?: RankTakeover,
): Promise<WriteOutcome<PolicyRow>> {
  return withLockedPatient(request, "policies", async (write) => {
    const { ledger, policy: before } = await PolicyLedger.openFor(write, { policyId, ifMatch });
    requireActive(before);
    requireSamePatient(input, write.patient);

    const entered = staff ? readEntries(input, [before], write.now.slice(0, 10)) : { fields: input, problems: null };
    const after = ledger.change(policyId, {
      rank: input.rank === undefined ? before.rank : input.rank,
      ...patientIdentity(write.patient),
      ...pickInsurance(entered.fields, before),
    });
    throwIfInvalid(
      entered.problems,
      await findReferenceProblems(write.tx, write.patient.practice_id, after, before),
      insuranceProblems(after),
    );
    if (after.rank !== before.rank) ledger.clearRank(after.rank, policyId, staff);

    await ledger.save("update");
    return ledger.get(policyId);
  });
}
