import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyRow } from "@/lib/insurance/policies/schema";
import { PolicyLedger } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import type { IfMatch } from "@/lib/platform/http/conditional";

/**
 * Archives a policy and keeps its history (state table row 3). Does nothing if it is already archived.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 */
export async function archivePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
): Promise<WriteOutcome<PolicyRow>> {
  return withLockedPatient(request, "policies", async (write) => {
    const { ledger, policy } = await PolicyLedger.openFor(write, { policyId, ifMatch });
    if (policy.status === "active") ledger.archive(policyId, "archived_on_request");
    await ledger.save("delete");
    return ledger.get(policyId);
  });
}
