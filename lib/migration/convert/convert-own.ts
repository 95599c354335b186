import type { Origin } from "@/lib/access/identity/access";
import { listPoliciesWithVersions } from "@/lib/insurance/policies/migration-queries";
import { reconcilePolicies } from "@/lib/insurance/replication/reconcile-policies";
import { withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import type { CompanyKnowledge } from "@/lib/migration/check/check-run";
import { accessTo, isPassedOver, isStillPlanned, requireKnownPlan } from "@/lib/migration/convert/convert-known";
import type { RunRow, StagedRow } from "@/lib/migration/runs/schema";
import { markConverted } from "./mark-converted";

/**
 * Reconciles the policies of a patient with its legacy records. Plans the record again with the patient locked, and
 * writes nothing if the plan has changed.
 *
 * @returns whether it was written
 * @throws RunInterrupted if the run was cancelled in the meantime
 */
export async function convertOwn(
  run: RunRow,
  row: StagedRow,
  { origin, companies }: { origin: Origin; companies: CompanyKnowledge },
): Promise<boolean> {
  const { patientId } = requireKnownPlan(row);
  const access = accessTo(run.practice_id, origin);
  try {
    const { result } = await withLockedPatient({ access, patientId, origin }, "both", async (write) => {
      if (!(await isStillPlanned(write.tx, run, row, companies))) return false;
      await reconcilePolicies(write, { emptied: false });
      const policies = await listPoliciesWithVersions(write.tx, [write.patient.id]);
      const outcome = {
        created: false,
        version: write.patient.version,
        before: [],
        added: [],
        cards: [],
        policies: policies.map(({ id, version }) => ({ id, version })),
      };
      await markConverted(write.tx, run.id, [{ number: row.number, patient_id: write.patient.id, outcome }]);
      return true;
    });
    return result;
  } catch (error) {
    if (isPassedOver(error)) return false;
    throw error;
  }
}
