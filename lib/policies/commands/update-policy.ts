import { ConflictError, ValidationError } from "@/lib/errors";
import { type IfMatch, requireVersion } from "@/lib/history/version";
import { INSURANCE_FIELDS } from "@/lib/insurance/fields";
import { findReferenceProblems } from "@/lib/insurers/queries";
import { type Outcome, type WriteRequest, writePatient } from "@/lib/sync/write";
import { requireSamePatient } from "../rules";
import type { PolicyPatch, PolicyRow } from "../schema";
import { PolicyLedger } from "./ledger";

/**
 * Updates an active policy in place (state table row 2): fields sent are set, `null` clears, those left out stay. A write
 * that changes nothing makes no version.
 *
 * @throws NotFoundError, GoneError
 * @throws ConflictError policy_archived
 * @throws VersionConflictError the caller's If-Match names another version
 * @throws BusinessRuleError patient_mismatch
 * @throws ValidationError a reference or a combination of fields that can't be
 */
export async function updatePolicy(
  request: WriteRequest,
  policyId: number,
  input: PolicyPatch,
  ifMatch: IfMatch,
): Promise<Outcome<PolicyRow>> {
  return writePatient(request, "policies_to_patients", async (unit) => {
    const ledger = await PolicyLedger.open(unit, [policyId]);
    const before = await ledger.get(policyId);
    requireVersion(ifMatch, before.version);
    requireActive(before);
    requireSamePatient(input, unit.patient);
    const sent = INSURANCE_FIELDS.filter((field) => input[field] !== undefined);
    const after = ledger.change(policyId, {
      ...Object.fromEntries(sent.map((field) => [field, input[field]])),
      rank: input.rank === undefined ? before.rank : input.rank,
      patient_first_name: unit.patient.first_name,
      patient_last_name: unit.patient.last_name,
      patient_dob: unit.patient.dob,
    });
    const problems = await findReferenceProblems(unit.tx, unit.patient.practice_id, after, before);
    if (problems) throw new ValidationError(problems);
    ledger.requireSound(policyId);
    if (after.rank !== before.rank) ledger.supersede(after.rank, policyId);
    const changes = await ledger.flush();
    const payload = { direction: "policies_to_patients" as const, kind: "update" as const, changes };
    return { result: await ledger.get(policyId), payload };
  });
}

/** @throws ConflictError where the policy is history: it has to be restored before it can change */
export function requireActive(policy: PolicyRow): void {
  if (policy.status === "archived") {
    throw new ConflictError("policy_archived", "This policy is archived. Restore it before you change it.");
  }
}
