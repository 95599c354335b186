import { z } from "zod";
import {
  createdDate,
  deletedDate,
  integer,
  list,
  modifiedDate,
  optional,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A form that patients fill in. */
export const patientForms = defineResource({
  name: "patient_forms",
  title: "PatientForm",
  noun: "patient form",
  owner: "practice",
  operations: ["list", "get"],
  fields: {
    appointment_types: readOnly(list(reference), []),
    created_by: refersTo(optional(integer()), "users"),
    created_date: createdDate,
    deleted_by: optional(integer()),
    deleted_date: deletedDate,
    form_name: required(text()),
    last_modified_by: optional(integer()),
    last_modified_date: modifiedDate,
    practice: practiceColumn,
    sequence: required(integer(0, 65535)),
    topics: required(z.unknown()),
  },
  filters: ["created_date__gte", "created_date__lte", "practice"],
});
