import type { Rank } from "@/lib/insurance/fields/limits";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { patientIdentity } from "@/lib/insurance/policies/rules";
import type { PolicyRow, RankTakeover } from "@/lib/insurance/policies/schema";
import { PolicyLedger, rankTaken } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import type { IfMatch } from "@/lib/platform/http/conditional";

/**
 * Makes an archived policy active again if its rank is free. Does nothing if it is already active.
 *
 * @param to.rank the rank to restore it to, or null for none; by default its previous rank
 * @param to.takeover what happens to the policy that holds `to.rank`; by default it is archived
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws DomainError rank_holder_changed
 * @throws ConflictError rank_taken
 */
export async function restorePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
  to: { rank?: Rank | null | undefined; takeover?: RankTakeover } = {},
): Promise<WriteOutcome<PolicyRow>> {
  return withLockedPatient(request, "policies", async (write) => {
    const { ledger, policy } = await PolicyLedger.openFor(write, { policyId, ifMatch });
    if (policy.status === "archived") {
      if (to.rank !== undefined) ledger.clearRank(to.rank, policyId, to.takeover);
      const rank = to.rank === undefined ? policy.rank : to.rank;
      const holder = ledger.active.find((other) => other.rank !== null && other.rank === rank);
      if (holder) throw rankTaken(holder);
      const active = { status: "active", archived_date: null, archive_reason: null } as const;
      ledger.change(policyId, { ...active, rank, ...patientIdentity(write.patient) }, "restored");
    }
    await ledger.save("update");
    return ledger.get(policyId);
  });
}
