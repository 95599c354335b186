import type { Rank } from "@/lib/insurance/fields/ranks";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { PolicyRow, RankTaking } from "@/lib/insurance/policies/schema";
import type { WriteRequest } from "@/lib/insurance/replication/with-locked-patient";
import { ConflictError } from "@/lib/platform/errors";
import type { IfMatch } from "@/lib/platform/versions";
import { changePolicy, identityOf } from "./change-policy";

/**
 * Archives a policy, keeping its history (state table row 3). A policy that is archived already stays as it is.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 */
export async function archivePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
): Promise<WriteOutcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch, kind: "delete" }, (ledger, policy) => {
    if (policy.status === "active") ledger.archive(policyId, "archived_on_request");
  });
}

/**
 * Makes an archived policy active again, where its rank is free. An active one stays as it is.
 *
 * @param to another rank to come back to, or none, and what happens to the policy that holds it; unless told, it is archived
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws DomainError rank_holder_changed
 * @throws ConflictError rank_taken
 */
export async function restorePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
  to: { rank?: Rank | null | undefined; taking?: RankTaking } = {},
): Promise<WriteOutcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch, kind: "update" }, (ledger, policy, write) => {
    if (policy.status === "active") return;
    const { rank, taking } = to;
    if (rank !== undefined) ledger.clearRank(rank, policyId, taking);
    const wanted = rank === undefined ? policy.rank : rank;
    const occupant = ledger.active.find((other) => other.rank !== null && other.rank === wanted);
    if (occupant) throw new ConflictError("rank_taken", `Rank ${wanted} is held by policy ${occupant.id}.`);
    const active = { status: "active" as const, archived_date: null, archive_reason: null };
    ledger.change(policyId, { ...active, rank: wanted, ...identityOf(write) }, "restored");
  });
}
