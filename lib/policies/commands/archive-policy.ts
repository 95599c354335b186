import { ConflictError } from "@/lib/errors";
import type { IfMatch } from "@/lib/history/version";
import type { Outcome, WriteRequest } from "@/lib/sync/write";
import type { PolicyRow } from "../schema";
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
): Promise<Outcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch, kind: "delete" }, (ledger, policy) => {
    if (policy.status === "active") ledger.archive(policyId, "archived_on_request");
  });
}

/**
 * Makes an archived policy active again, where its rank is free. An active one stays as it is.
 *
 * @throws NotFoundError, GoneError, VersionConflictError
 * @throws ConflictError rank_taken
 */
export async function restorePolicy(
  request: WriteRequest,
  policyId: number,
  ifMatch: IfMatch,
): Promise<Outcome<PolicyRow>> {
  return changePolicy(request, { policyId, ifMatch, kind: "update" }, (ledger, policy, unit) => {
    if (policy.status === "active") return;
    const occupant = ledger.active.find((other) => other.rank !== null && other.rank === policy.rank);
    if (occupant) throw new ConflictError("rank_taken", `Rank ${policy.rank} is held by policy ${occupant.id}.`);
    const active = { status: "active" as const, archived_date: null, archive_reason: null };
    ledger.change(policyId, { ...active, ...identityOf(unit) }, "restored");
  });
}
