import { ConflictError } from "@/lib/errors";
import { type IfMatch, requireVersion } from "@/lib/history/version";
import { type Outcome, type WriteRequest, writePatient } from "@/lib/sync/write";
import type { PolicyRow } from "../schema";
import { PolicyLedger } from "./ledger";

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
  return writePatient(request, "policies_to_patients", async (unit) => {
    const ledger = await PolicyLedger.open(unit, [policyId]);
    const before = await ledger.get(policyId);
    requireVersion(ifMatch, before.version);
    if (before.status === "active") ledger.archive(policyId, "archived_on_request");
    const changes = await ledger.flush();
    const payload = { direction: "policies_to_patients" as const, kind: "delete" as const, changes };
    return { result: await ledger.get(policyId), payload };
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
  return writePatient(request, "policies_to_patients", async (unit) => {
    const ledger = await PolicyLedger.open(unit, [policyId]);
    const before = await ledger.get(policyId);
    requireVersion(ifMatch, before.version);
    const occupant = ledger.active.find((other) => other.rank !== null && other.rank === before.rank);
    if (before.status === "archived") {
      if (occupant) throw new ConflictError("rank_taken", `Rank ${before.rank} is held by policy ${occupant.id}.`);
      const active = { status: "active" as const, archived_date: null, archive_reason: null };
      const { first_name, last_name, dob } = unit.patient;
      const identity = { patient_first_name: first_name, patient_last_name: last_name, patient_dob: dob };
      ledger.change(policyId, { ...active, ...identity }, "restored");
    }
    const changes = await ledger.flush();
    const payload = { direction: "policies_to_patients" as const, kind: "update" as const, changes };
    return { result: await ledger.get(policyId), payload };
  });
}
