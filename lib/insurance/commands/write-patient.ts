import { changedFields } from "@/lib/access/identity/origin";
import { readEntries } from "@/lib/insurance/fields/entry-rules";
import { toRank } from "@/lib/insurance/fields/ranks";
import type { WriteOutcome } from "@/lib/insurance/patient-write/patient-write";
import type { PatientChange } from "@/lib/insurance/patient-write/replication-payload";
import { applyDemographics, identityChanges, insertPatient } from "@/lib/insurance/patients/demographics";
import { InsuranceLedger } from "@/lib/insurance/patients/insurance-ledger";
import { getPatient } from "@/lib/insurance/patients/queries";
import type { InsuranceInput, InsuranceRow, PatientInput, PatientPatch } from "@/lib/insurance/patients/schema";
import { appendPatientVersion } from "@/lib/insurance/patients/versions";
import { type PatientView, viewPatient } from "@/lib/insurance/patients/view-queries";
import { writeInsurances } from "@/lib/insurance/patients/write-insurances";
import { type WriteRequest, withLockedPatient, withNewPatient } from "@/lib/insurance/replication/with-locked-patient";
import { ValidationError } from "@/lib/platform/errors";
import { type IfMatch, requireVersion } from "@/lib/platform/versions";
import { getPracticeRules } from "@/lib/practice/practices/queries";
import { requireLegacyInsurances, requireLegacyInterface } from "@/lib/practice/practices/rules";
import { countLegacyWrite } from "@/lib/practice/practices/usage-commands";

/**
 * Updates a patient's demographics and, where `insurances` is sent, its insurances by the state table of the
 * specification. Fields left out stay; a write of the rest of the record leaves the insurances untouched.
 *
 * @param form `legacy`: by a form that is for practices without Insurance Versioning alone
 * @throws NotFoundError, VersionConflictError
 * @throws ConflictError versioning_enabled, for such a form
 * @throws ValidationError nested like the body
 * @throws BusinessRuleError legacy_insurances_deprecated once the practice's deadline is enforced
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
    // Read once: by what is checked here, the insurances are written below.
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
      // What staff typed is read by their rules; what one of the patient's insurances has already is left as it is.
      const read = input.insurances.map((fields) =>
        form === "legacy"
          ? readEntries(fields, likeliest(ledger.current, fields), write.now.slice(0, 10))
          : { fields, problems: null },
      );
      const [fields, found] = [read.map((one) => one.fields), read.map(({ problems }) => problems)];
      changes.push(...(await writeInsurances(write, ledger, fields, versioning, found)));
      await ledger.flush();
    }
    write.replication = { direction: "patients_to_policies", kind: "update", changes };
    return viewPatient(await getPatient(request.access, write.patient.id, write.tx), write.tx);
  });
}

/** The patient's insurances, that of the same id first and that of the same rank next. */
function likeliest(current: readonly InsuranceRow[], { id, rank }: InsuranceInput): InsuranceRow[] {
  const distance = (row: InsuranceRow) => (row.id === id ? 0 : row.rank === toRank(rank) ? 1 : 2);
  return [...current].sort((a, b) => distance(a) - distance(b));
}

/**
 * Creates a patient, with insurances where they are sent.
 *
 * @throws ValidationError an unknown practice or physician, or as `updatePatient`
 * @throws BusinessRuleError as `updatePatient`
 */
export async function createPatient(
  request: Omit<WriteRequest, "patientId">,
  input: PatientInput,
): Promise<WriteOutcome<PatientView>> {
  const { access } = request;
  const practiceId = input.caregiver_practice;
  if (!access.practices.includes(practiceId)) throw new ValidationError({ caregiver_practice: ["No such practice."] });
  if (input.insurances !== undefined) countLegacyWrite(request, practiceId);
  return withNewPatient(
    request,
    (tx) => insertPatient(tx, input),
    async (write) => {
      // The insurances have a history of their own, with the policies.
      const { insurances: _insurances, ...demographics } = input;
      await appendPatientVersion(write, "created", changedFields(null, demographics));
      const changes: PatientChange[] = [];
      // Past the deadline an empty list is refused too, as by `updatePatient`, though here it would change nothing.
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
}
