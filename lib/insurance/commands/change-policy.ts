import type { PatientWrite, WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { ChangeKind } from "@/lib/insurance/patient-write/replication-payload";
import { PolicyLedger } from "@/lib/insurance/policies/ledger";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { type WriteRequest, writePatient } from "@/lib/insurance/replication/with-locked-patient";
import { ConflictError, type FieldErrors, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/versions";

/** Which policy a write is about, on which version of it, and what kind of event it makes. */
export interface PolicyTarget {
  policyId: number;
  ifMatch: IfMatch;
  kind: ChangeKind;
}

/**
 * One write on one policy: loads it beside the patient's active ones, compares versions, lets `change` decide, writes what
 * changed and publishes it. Gives the policy as it then stands.
 *
 * @throws NotFoundError, GoneError
 * @throws VersionConflictError where If-Match names another version
 */
export async function changePolicy(
  request: WriteRequest,
  { policyId, ifMatch, kind }: PolicyTarget,
  change: (ledger: PolicyLedger, policy: PolicyRow, write: PatientWrite) => void | Promise<void>,
): Promise<WriteOutcome<PolicyRow>> {
  return writePatient(request, "policies_to_patients", async (write) => {
    const ledger = await PolicyLedger.open(write, [policyId]);
    const policy = await ledger.get(policyId);
    requireVersion(ifMatch, policy.version);
    await change(ledger, policy, write);
    const changes = await ledger.flush();
    return { result: await ledger.get(policyId), payload: { direction: "policies_to_patients", kind, changes } };
  });
}

/** @throws ConflictError where the policy is history: it has to be restored before it can change */
export function requireActive(policy: PolicyRow): void {
  if (policy.status === "archived") {
    throw new ConflictError("policy_archived", "This policy is archived. Restore it before you change it.");
  }
}

/** Refuses a write for everything that is wrong with it. */
export function requireNone(...problems: (FieldErrors | null)[]): void {
  const found = Object.assign({}, ...problems);
  if (Object.keys(found).length > 0) throw new ValidationError(found);
}

/** The patient's identity as a policy carries it. */
export function identityOf({ patient }: PatientWrite) {
  const { first_name, last_name, dob } = patient;
  return { patient_first_name: first_name, patient_last_name: last_name, patient_dob: dob };
}
