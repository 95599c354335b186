import { appendPatientVersion, markPatientDeleted } from "@/lib/insurance/patients/versions";
import { type WriteRequest, writePatient } from "@/lib/insurance/replication/write";
import { type IfMatch, requireVersion } from "@/lib/platform/versions";
import { deletePatientRecords } from "@/lib/records/engine/row-commands";

/**
 * Deletes a patient with all their records: from now on these, the insurances and the policies answer 404. Nothing is lost.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function deletePatient(request: WriteRequest, ifMatch: IfMatch): Promise<void> {
  await writePatient(request, "patients_to_policies", async (unit) => {
    requireVersion(ifMatch, unit.patient.version);
    await markPatientDeleted(unit);
    await appendPatientVersion(unit, "deleted", { deleted_date: { old: null, new: unit.now } });
    const { id: patientId, practice_id: practiceId } = unit.patient;
    await deletePatientRecords(unit.tx, { patientId, practiceId, origin: unit.origin, now: unit.now });
    return { result: null, payload: null };
  });
}
