import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { INSURANCE_FIELDS, pickInsurance } from "@/lib/insurance/fields/fields";
import type { PolicyPatch } from "@/lib/insurance/fields/policy-fields";
import { insuranceProblems } from "@/lib/insurance/fields/rules";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { findReferenceProblems } from "@/lib/insurance/payers/queries";
import { requireSamePatient } from "@/lib/insurance/policies/rules";
import type { PolicyRow, RankTaking } from "@/lib/insurance/policies/schema";
import type { WriteRequest } from "@/lib/insurance/replication/with-locked-patient";
import type { IfMatch } from "@/lib/platform/versions";
import { changePolicy, identityOf, requireActive, requireNone } from "./change-policy";

/**
 * Updates an active policy in place (state table row 2): fields sent are set, `null` clears, those left out stay. A write
 * that changes nothing makes no version.
 *
 * @param staff of a write by staff: what they type is read by their rules, and what happens to the policy that holds the
 *   rank is what they chose. Left out, that one is archived
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws DomainError rank_holder_changed
 * @throws ConflictError rank_taken, where the other policy would move to a rank that is held
 * @throws ConflictError policy_archived
 * @throws BusinessRuleError patient_mismatch
 * @throws ValidationError a reference or a combination of fields that can't be
 */
export async function updatePolicy(
  request: WriteRequest,
  policyId: number,
  input: PolicyPatch,
  ifMatch: IfMatch,
  staff?: RankTaking,
): Promise<WriteOutcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch, kind: "update" }, async (ledger, before, write) => {
    requireActive(before);
    requireSamePatient(input, write.patient);
    const entered = staff ? readEntries(input, [before], write.now.slice(0, 10)) : { fields: input, problems: null };
    const sent = INSURANCE_FIELDS.filter((field) => input[field] !== undefined);
    const after = ledger.change(policyId, {
      ...Object.fromEntries(sent.map((field) => [field, entered.fields[field]])),
      rank: input.rank === undefined ? before.rank : input.rank,
      ...identityOf(write),
    });
    // All that is wrong is told at once.
    requireNone(
      entered.problems,
      await findReferenceProblems(write.tx, write.patient.practice_id, after, before),
      insuranceProblems(pickInsurance(after)),
    );
    if (after.rank !== before.rank) ledger.clearRank(after.rank, policyId, staff);
  });
}
