import { auditRead } from "@/lib/access/audit/commands";
import { changedFields } from "@/lib/access/identity/access";
import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { toRank } from "@/lib/insurance/fields/limits";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { PatientChange } from "@/lib/insurance/patient-write/replication-payload";
import { applyDemographics, identityChanges, insertPatient } from "@/lib/insurance/patients/demographics";
import { getPatient, type PatientView, viewPatient } from "@/lib/insurance/patients/queries";
import { toStoredDetails } from "@/lib/insurance/patients/rules";
import type { InsuranceInput, InsuranceRow, PatientInput, PatientPatch } from "@/lib/insurance/patients/schema";
import { appendPatientVersion, InsuranceLedger } from "@/lib/insurance/patients/store";
import { writeInsurances } from "@/lib/insurance/patients/write-insurances";
import { type WriteRequest, withLockedPatient, withNewPatient } from "@/lib/insurance/replication/with-locked-patient";
import { isoNow } from "@/lib/platform/clock";
import { absentRecords, DuplicateError, ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/http/conditional";
import { countLegacyWrite } from "@/lib/practice/practices/legacy-usage";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { requireLegacyInsurances, requireLegacyInterface } from "@/lib/practice/practices/rules";

/**
 * Updates a patient's demographics and, if `insurances` is sent, the insurances according to the state table of the
 * specification. Omitted fields are left unchanged, and so are the insurances if `insurances` is omitted.
 *
 * @param form `legacy` if the request comes from a form for practices without Insurance Versioning
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError versioning_enabled, if `form` is `legacy` and the practice uses Insurance Versioning
 * @throws ValidationError nested like the body
 * @throws BusinessRuleError legacy_insurances_deprecated, if the practice's deadline is enforced
 */
export async function updatePatient(
  request: WriteRequest,
  input: PatientPatch,
  ifMatch: IfMatch,
  form?: "legacy",
): Promise<WriteOutcome<PatientView>> {
  if (input.insurances !== undefined) {
    countLegacyWrite(request, (await getPatient(request.access, request.patientId)).practice_id);
  }
  return withLockedPatient(request, "patients", async (write) => {
    // Read once, so that the checks and the write of insurances use the same rules.
    const rules = input.insurances && (await getPracticeRules(write.tx, write.patient.practice_id));
    if (rules && form === "legacy") requireLegacyInterface(rules);
    requireVersion(ifMatch, write.patient.version);
    const before = await getPatient(request.access, write.patient.id, write.tx);
    const after = await applyDemographics(write, before, input);
    const changes: PatientChange[] = identityChanges(before, after);
    if (input.insurances && rules) {
      requireLegacyInsurances(rules);
      const ledger = await InsuranceLedger.open(write);
      const versioning = rules.insuranceVersioningEnabled ? "enabled" : "disabled";
      // Entries by staff are normalized. Values that one of the patient's insurances already has are left unchanged.
      const read = input.insurances.map((fields) =>
        form === "legacy"
          ? readEntries(fields, sortByLikelihood(ledger.current, fields), write.now.slice(0, 10))
          : { fields, problems: null },
      );
      const fields = read.map((entry) => entry.fields);
      const problems = read.map((entry) => entry.problems);
      changes.push(...(await writeInsurances(write, ledger, fields, versioning, problems)));
      await ledger.flush();
    }
    write.replication = { direction: "patients_to_policies", kind: "update", changes };
    return viewPatient(await getPatient(request.access, write.patient.id, write.tx), write.tx);
  });
}

/** Sorts the patient's insurances: the one with the same ID first, then the one with the same rank. */
function sortByLikelihood(current: readonly InsuranceRow[], { id, rank }: InsuranceInput): InsuranceRow[] {
  const distance = (row: InsuranceRow) => (row.id === id ? 0 : row.rank === toRank(rank) ? 1 : 2);
  return [...current].sort((a, b) => distance(a) - distance(b));
}

/**
 * Creates a patient, with insurances if they are sent.
 *
 * @param options.allowsDuplicate creates the patient even if the practice already has one with this name, date of birth and sex
 * @throws ValidationError if the practice or physician is unknown, or as for `updatePatient`
 * @throws DuplicateError patient_exists, unless the practice's setting or `options` allow duplicates
 * @throws BusinessRuleError as for `updatePatient`
 */
export async function createPatient(
  request: Omit<WriteRequest, "patientId">,
  input: PatientInput,
  { allowsDuplicate = false }: { allowsDuplicate?: boolean } = {},
): Promise<WriteOutcome<PatientView>> {
  const { access, origin } = request;
  const practiceId = input.caregiver_practice;
  if (!access.practices.includes(practiceId))
    throw new ValidationError({ caregiver_practice: absentRecords(practiceId) });
  if (input.insurances !== undefined) countLegacyWrite(request, practiceId);
  const details = toStoredDetails(input, {}, isoNow());
  const created = withNewPatient(
    request,
    (tx) => insertPatient(tx, input, { details, allowsDuplicate }),
    async (write) => {
      // The policies' versions record the insurances.
      const { insurances: _insurances, ...demographics } = input;
      await appendPatientVersion(write, "created", changedFields(null, { ...demographics, ...details }));
      const changes: PatientChange[] = [];
      // After the deadline an empty list is rejected too, like in `updatePatient`, although it would change nothing.
      if (input.insurances !== undefined) requireLegacyInsurances(await getPracticeRules(write.tx, practiceId));
      if (input.insurances !== undefined && input.insurances.length > 0) {
        const ledger = await InsuranceLedger.open(write);
        changes.push(...(await writeInsurances(write, ledger, input.insurances, "disabled")));
        await ledger.flush();
      }
      write.replication = { direction: "patients_to_policies", kind: "create", changes };
      return viewPatient(await getPatient(access, write.patient.id, write.tx), write.tx);
    },
  );
  return created.catch(async (error: unknown) => {
    // The response discloses that the practice has this patient.
    if (error instanceof DuplicateError)
      await auditRead({ ...origin, operation: "patients.find_duplicate" }, [error.existingId]);
    throw error;
  });
}
