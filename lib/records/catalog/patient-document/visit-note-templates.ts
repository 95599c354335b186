import { createdDate, defaultedPracticeColumn, deletedDate, required, text } from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

/** A template for visit notes. */
export const visitNoteTemplates = defineResource({
  name: "visit_note_templates",
  title: "VisitNoteTemplate",
  noun: "visit note template",
  owner: "practice",
  shared: true,
  operations: OPERATIONS,
  fields: {
    content: required(text()),
    created_date: createdDate,
    deleted_date: deletedDate,
    name: required(text(50)),
    practice_created: defaultedPracticeColumn,
  },
  filters: ["name", "practice_created"],
});
