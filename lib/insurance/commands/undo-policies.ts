import { pickInsurance } from "@/lib/insurance/fields/fields";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import { findReferenceProblems } from "@/lib/insurance/patients/payer-references";
import { findSnapshots } from "@/lib/insurance/policies/queries";
import { patientIdentity } from "@/lib/insurance/policies/rules";
import type { PolicyRow, WrittenVersion } from "@/lib/insurance/policies/schema";
import { PolicyLedger, type VersionKind } from "@/lib/insurance/policies/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { DomainError, ValidationError } from "@/lib/platform/errors";

/**
 * Undoes the last write on several policies in one step: each gets its previous fields, rank and status, as a new version. A
 * policy that the write created is archived. Card images are left unchanged.
 *
 * @param written the policies in the versions that the write gave them
 * @returns the restored policies
 * @throws NotFoundError, GoneError
 * @throws DomainError version_conflict, if one of them has changed since: nothing is undone
 * @throws ConflictError rank_taken, if another policy has taken one of the ranks
 * @throws ValidationError if a payer or plan no longer exists
 */
export async function undoPolicies(
  request: WriteRequest,
  written: readonly WrittenVersion[],
): Promise<WriteOutcome<PolicyRow[]>> {
  return withLockedPatient(request, "policies", async (write) => {
    const ids = written.map(({ id }) => id);
    const ledger = await PolicyLedger.open(write, ids);
    for (const { id, version } of written) {
      if ((await ledger.get(id)).version !== version) throw changedSince(id);
    }
    const before = await findSnapshots(
      write.tx,
      written.map(({ id, version }) => ({ id, version: version - 1 })),
    );
    for (const id of ids) {
      const snapshot = before.get(id);
      const now = await ledger.get(id);
      if (!snapshot) {
        ledger.archive(id, "archived_on_request");
        continue;
      }
      const { rank, status, archived_date, archive_reason } = snapshot;
      const kind: VersionKind = status === now.status ? "updated" : status === "active" ? "restored" : "archived";
      const state = { rank, status, archived_date, archive_reason, ...pickInsurance(snapshot) };
      const after = ledger.change(id, { ...state, ...patientIdentity(write.patient) }, kind);
      const problems = await findReferenceProblems(write.tx, write.patient.practice_id, after, now);
      if (problems) throw new ValidationError(problems);
    }
    await ledger.save("update");
    return Promise.all(ids.map((id) => ledger.get(id)));
  });
}

function changedSince(id: number): DomainError {
  return new DomainError("version_conflict", `Nothing was undone: policy ${id} has changed since.`);
}
