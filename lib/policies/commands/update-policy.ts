import { ValidationError } from "@/lib/errors";
import type { IfMatch } from "@/lib/history/version";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields";
import type { PolicyPatch } from "@/lib/insurance/policy-fields";
import { findReferenceProblems } from "@/lib/insurers/queries";
import type { Outcome, WriteRequest } from "@/lib/sync/write";
import { requireSamePatient } from "../rules";
import type { PolicyRow, RankHolder } from "../schema";
import { changePolicy, identityOf, requireActive } from "./change-policy";

/**
 * Updates an active policy in place (state table row 2): fields sent are set, `null` clears, those left out stay. A write
 * that changes nothing makes no version.
 *
 * @param seen who the author saw at a new rank; left out, whoever it is makes way
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws DomainError rank_holder_changed
 * @throws ConflictError policy_archived
 * @throws BusinessRuleError patient_mismatch
 * @throws ValidationError a reference or a combination of fields that can't be
 */
export async function updatePolicy(
  request: WriteRequest,
  policyId: number,
  input: PolicyPatch,
  ifMatch: IfMatch,
  seen?: RankHolder,
): Promise<Outcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch, kind: "update" }, async (ledger, before, unit) => {
    requireActive(before);
    requireSamePatient(input, unit.patient);
    const sent = INSURANCE_FIELDS.filter((field) => input[field] !== undefined);
    const after = ledger.change(policyId, {
      ...Object.fromEntries(sent.map((field) => [field, input[field]])),
      rank: input.rank === undefined ? before.rank : input.rank,
      ...identityOf(unit),
    });
    const problems = await findReferenceProblems(unit.tx, unit.patient.practice_id, after, before);
    if (problems) throw new ValidationError(problems);
    ledger.requireSound(policyId);
    if (after.rank !== before.rank) ledger.supersede(after.rank, policyId, seen);
  });
}
