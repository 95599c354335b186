import {
  createdDate,
  defaulted,
  readOnlyPracticeColumn,
  reference,
  refersTo,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const shown = {
  create_date: createdDate,
  letter: refersTo(required(reference), "patient_letters"),
  message: defaulted(text(), ""),
  practice: readOnlyPracticeColumn,
};

/** A comment of a staff member on a patient letter. Responses don't contain its author. */
export const patientLetterComments = defineResource({
  name: "patient_letter_comments",
  title: "Comment",
  noun: "comment",
  owner: { field: "letter" },
  operations: ["list", "create", "get", "delete"],
  fields: shown,
  views: { create: { title: "Comment", fields: { ...shown, author: refersTo(required(reference), "users") } } },
  filters: ["letter"],
});
