import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  minutes,
  optional,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  withResponse,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

const visitNoteFormat = z.enum([
  "note2",
  "oneCol.oneField",
  "oneCol.preOp",
  "oneCol.preOp2",
  "oneCol.simple",
  "twoCol.complex",
  "twoCol.complex2",
]);

/** A kind of appointment. */
export const appointmentTypes = defineResource({
  name: "appointment_types",
  title: "AppointmentType",
  noun: "appointment type",
  owner: "practice",
  operations: OPERATIONS,
  fields: {
    abbreviation: defaulted(text(), ""),
    color: defaulted(text(), ""),
    created_date: createdDate,
    default_duration: withResponse(required(minutes), integer()),
    deleted_date: deletedDate,
    description: defaulted(text(), ""),
    elation_note_template_ids: defaulted(list(integer()), []),
    is_telehealth: defaulted(z.boolean(), false),
    name: required(text()),
    patient_bookable: defaulted(z.boolean(), false),
    patient_form_hours_prior: defaulted(integer()),
    patient_forms: refersTo(defaulted(list(reference), []), "patient_forms"),
    practice: practiceColumn,
    sequence: readOnly(integer()),
    visit_note_format: optional(visitNoteFormat),
    visit_note_templates: refersTo(defaulted(list(reference), []), "visit_note_templates"),
    visit_note_type: refersTo(optional(reference), "visit_note_types"),
  },
  filters: ["name", "practice"],
});
