import { appendPatientVersion, markPatientDeleted } from "@/lib/insurance/patients/store";
import { type WriteRequest, withLockedPatient } from "@/lib/insurance/replication/with-locked-patient";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { deletePatientRecords } from "@/lib/records/engine/row-commands";

/**
 * Deletes a patient and all of the patient's records, insurances and policies. They return 404 from then on, but stay in the database.
 *
 * @throws NotFoundError, VersionConflictError
 */
export async function deletePatient(request: WriteRequest, ifMatch: IfMatch): Promise<void> {
  await withLockedPatient(request, "patients", async (write) => {
    requireVersion(ifMatch, write.patient.version);
    await markPatientDeleted(write);
    await appendPatientVersion(write, "deleted", { deleted_date: { old: null, new: write.now } });
    const { id: patientId, practice_id: practiceId } = write.patient;
    await deletePatientRecords(write.tx, { patientId, practiceId, origin: write.origin, now: write.now });
  });
}
