import {
  createdDate,
  day,
  defaulted,
  list,
  optional,
  patientColumn,
  readOnly,
  readOnlyPracticeColumn,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A request to a patient to fill in forms. */
export const patientFormRequests = defineResource({
  name: "patient_form_requests",
  title: "PatientFormRequest",
  noun: "patient form request",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    appointment: refersTo(optional(reference), "appointments"),
    created_date: createdDate,
    forms_url: readOnly(text(), ""),
    notification_date: defaulted(day),
    patient: patientColumn,
    patient_forms: refersTo(required(list(reference)), "patient_forms"),
    practice: readOnlyPracticeColumn,
  },
  filters: [],
  serialize: (requests, { link }) => requests.map(({ id }) => ({ forms_url: link(`patient_form_requests/${id}/`) })),
});
