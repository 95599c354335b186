import type { PatientIdentity } from "./form-values";
import { breadcrumbs, patientNames } from "./messages/fields";

/** The IDs that locate a policy. */
export interface PolicyRef {
  practice: number;
  patient: number;
  policy: number;
}

// Paths of the API, relative to `/api/staff/`.

export function patientPath(practice: number, patient: number): string {
  return `practices/${practice}/patients/${patient}`;
}

/** Returns the path of a patient's policies, or of one of them. */
export function policiesPath(practice: number, patient: number, policy?: number): string {
  return `${patientPath(practice, patient)}/policies${policy === undefined ? "" : `/${policy}`}`;
}

export function cardImagesPath({ practice, patient, policy }: PolicyRef): string {
  return `${policiesPath(practice, patient, policy)}/card-images`;
}

export function versionsPath({ practice, patient, policy }: PolicyRef): string {
  return `${policiesPath(practice, patient, policy)}/versions`;
}

// Paths of pages.

/** Returns the path of a patient's page, or of a page below it. */
export function pagePath(practice: number, patient: number, ...rest: (string | number)[]): string {
  return `/${[patientPath(practice, patient), ...rest].join("/")}`;
}

/** Returns the breadcrumb of a page below a patient's. */
export function patientTrail(practice: number, patient: PatientIdentity) {
  return [
    { label: breadcrumbs.patients, href: `/practices/${practice}/patients` },
    { label: patientNames.listed(patient.first_name, patient.last_name), href: pagePath(practice, patient.id) },
  ];
}
