import { listInsurances } from "@/lib/insurance/patients/queries";
import type { InsuranceRow, PatientRow } from "@/lib/insurance/patients/schema";
import { type Db, db } from "@/lib/platform/db/sql";
import { listPracticeRules, type PracticeRules } from "@/lib/practice/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practice/practices/rules";

/** A patient with its legacy insurances, which are null once the practice's deadline is enforced. */
export interface PatientView {
  patient: PatientRow;
  insurances: InsuranceRow[] | null;
  rules: PracticeRules;
}

/** Adds the legacy insurances to patients, with two statements for any number of patients. */
export async function viewPatients(patients: readonly PatientRow[], read: Db = db): Promise<PatientView[]> {
  const rules = await listPracticeRules(read, [...new Set(patients.map((patient) => patient.practice_id))]);
  const rulesOf = (patient: PatientRow) => rules.get(patient.practice_id) as PracticeRules;
  const readable = patients.filter((patient) => !legacyInsurancesEnded(rulesOf(patient)));
  const insurances = await listInsurances(
    read,
    readable.map(({ id }) => id),
  );
  return patients.map((patient) => ({
    patient,
    insurances: readable.includes(patient) ? insurances.filter((row) => row.patient_id === patient.id) : null,
    rules: rulesOf(patient),
  }));
}

/** Adds the legacy insurances to one patient. */
export async function viewPatient(patient: PatientRow, read: Db = db): Promise<PatientView> {
  const [view] = await viewPatients([patient], read);
  return view as PatientView;
}
