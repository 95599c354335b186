import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { pickInsurance } from "@/lib/insurance/fields/fields";
import type { PolicyInput } from "@/lib/insurance/fields/policy-fields";
import { insuranceProblems } from "@/lib/insurance/fields/rules";
import { allocateInsuranceIds, allocatePolicyIds } from "@/lib/insurance/patient-write/allocate-ids";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { findReferenceProblems } from "@/lib/insurance/payers/queries";
import { PolicyLedger } from "@/lib/insurance/policies/ledger";
import { newPolicy, requireSamePatient } from "@/lib/insurance/policies/rules";
import type { PolicyRow, RankTaking } from "@/lib/insurance/policies/schema";
import { type WriteRequest, writePatient } from "@/lib/insurance/replication/with-locked-patient";
import { requireNone } from "./change-policy";

/**
 * Creates an active policy (specification, state table row 1). The policy that holds its rank is archived as superseded,
 * unless the author says where it goes.
 *
 * @param staff of a write by staff: what they type is read by their rules, and what happens to the policy that holds the
 *   rank is what they chose. Left out, that one is archived
 * @throws DomainError rank_holder_changed
 * @throws ConflictError rank_taken, where the other policy would move to a rank that is held
 * @throws ValidationError a reference or a combination of fields that can't be
 * @throws BusinessRuleError patient_mismatch
 */
export async function createPolicy(
  request: WriteRequest,
  input: PolicyInput,
  staff?: RankTaking,
): Promise<WriteOutcome<PolicyRow>> {
  return writePatient(request, "policies_to_patients", async (write) => {
    requireSamePatient(input, write.patient);
    const entered = staff ? readEntries(input, [], write.now.slice(0, 10)) : { fields: input, problems: null };
    const fields = pickInsurance(entered.fields);
    // All that is wrong is told at once.
    requireNone(
      entered.problems,
      await findReferenceProblems(write.tx, write.patient.practice_id, fields),
      insuranceProblems(fields),
    );
    const ledger = await PolicyLedger.open(write);
    const [id = 0] = await allocatePolicyIds(write.tx, 1);
    const [patientInsurance = 0] = await allocateInsuranceIds(write.tx, 1);
    const rank = input.rank ?? null;
    ledger.clearRank(rank, id, staff);
    const { now } = write;
    ledger.add(newPolicy(write.patient, { id, patientInsurance, rank, fields, createdDate: now, modifiedDate: now }));
    const changes = await ledger.flush();
    const payload = { direction: "policies_to_patients" as const, kind: "create" as const, changes };
    return { result: await ledger.get(id), payload };
  });
}
