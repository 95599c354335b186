import { z } from "zod";
import {
  createdDate,
  optional,
  patientColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";
import { patientForms } from "./patient-forms";

/** A form that a patient filled in. */
export const patientFormSubmissions = defineResource({
  name: "patient_form_submissions",
  title: "PatientFormSubmission",
  noun: "patient form submission",
  owner: "patient",
  operations: ["list", "create", "get"],
  fields: {
    appointment: refersTo(optional(reference), "appointments"),
    created_date: createdDate,
    document_date: optional(time),
    form_name: readOnly(text(), ""),
    form_response_json: required(z.unknown()),
    patient: patientColumn,
    patient_form: refersTo(required(reference), "patient_forms"),
    reported_date_time: optional(time),
    topics: readOnly(z.unknown()),
  },
  filters: ["patient", ["report__patient", "patient"]],
  beforeWrite: async ({ data, now, reader }) => {
    const form = (await reader.recordsById(patientForms, [data.patient_form])).get(data.patient_form);
    const { form_name = "", topics } = form?.data ?? {};
    return { ...data, form_name, topics, document_date: data.document_date ?? now };
  },
});
