import { listInsurances } from "@/lib/insurance/patients/queries";
import type { InsuranceRow, PatientRow } from "@/lib/insurance/patients/schema";
import { type Db, db } from "@/lib/platform/db/sql";
import { listPracticeRules, type PracticeRules } from "@/lib/practice/practices/queries";
import { legacyInsurancesEnded } from "@/lib/practice/practices/rules";

/** A patient with its legacy insurances, as its practice's deadline lets them be seen: null where they are gone. */
export interface PatientView {
  patient: PatientRow;
  insurances: InsuranceRow[] | null;
  rules: PracticeRules;
}

/** Adds the legacy insurances to patients, in two statements however many there are. */
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

/** One patient with its legacy insurances. */
export async function viewPatient(patient: PatientRow, read: Db = db): Promise<PatientView> {
  const [view] = await viewPatients([patient], read);
  return view as PatientView;
}
