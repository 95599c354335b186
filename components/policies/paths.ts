import type { PatientIdentity } from "./form-values";

/** Path of a patient's policies, or of one of them, below `/api/staff/`. */
export function policiesPath(practice: number, patient: number, policy?: number): string {
  return `practices/${practice}/patients/${patient}/policies${policy === undefined ? "" : `/${policy}`}`;
}

/** The page of a patient, of a policy, or of what is done with it. */
export function pagePath(practice: number, patient: number, ...rest: (string | number)[]): string {
  return ["/practices", practice, "patients", patient, ...rest].join("/");
}

/** Where a page about a patient's policies stands. */
export function patientTrail(practice: number, patient: PatientIdentity) {
  return [
    { label: "Patients", href: `/practices/${practice}/patients` },
    { label: `${patient.last_name}, ${patient.first_name}`, href: pagePath(practice, patient.id) },
  ];
}
