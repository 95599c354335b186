import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { insuranceProblems, pickInsurance } from "@/lib/insurance/fields/fields";
import type { PolicyInput } from "@/lib/insurance/fields/policy-fields";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { allocateInsuranceIds, allocatePolicyIds, takeId } from "@/lib/insurance/patients/allocate-ids";
import { findReferenceProblems } from "@/lib/insurance/patients/payer-references";
import { newPolicy, requireSamePatient } from "@/lib/insurance/policies/rules";
import type { PolicyRow, RankTakeover } from "@/lib/insurance/policies/schema";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { throwIfInvalid } from "@/lib/platform/errors";

/**
 * Creates an active policy (state table row 1). The policy that holds its rank is archived as superseded, unless `staff` moves
 * it to another rank.
 *
 * @param staff for a write by staff: what happens to the policy that holds the rank. The entered values are normalized
 * @throws DomainError rank_holder_changed
 * @throws ConflictError rank_taken, if the other policy would move to a rank that is held
 * @throws BusinessRuleError patient_mismatch
 * @throws ValidationError naming every invalid field
 */
export async function createPolicy(
  request: WriteRequest,
  input: PolicyInput,
  staff?: RankTakeover,
): Promise<WriteOutcome<PolicyRow>> {
  return withLockedPatient(request, "policies", async (write) => {
    const { tx, patient, now } = write;
    requireSamePatient(input, patient);

    const entered = staff ? readEntries(input, [], now.slice(0, 10)) : { fields: input, problems: null };
    const fields = pickInsurance(entered.fields);
    throwIfInvalid(
      entered.problems,
      await findReferenceProblems(tx, patient.practice_id, fields),
      insuranceProblems(fields),
    );

    const ledger = await PolicyLedger.open(write);
    const [policyIds, insuranceIds] = await Promise.all([allocatePolicyIds(tx, 1), allocateInsuranceIds(tx, 1)]);
    const [id, patientInsurance] = [takeId(policyIds), takeId(insuranceIds)];
    const rank = input.rank ?? null;
    ledger.clearRank(rank, id, staff);
    ledger.add(newPolicy(patient, { id, patientInsurance, rank, fields, createdDate: now, modifiedDate: now }));

    await ledger.save("create");
    return ledger.get(id);
  });
}
