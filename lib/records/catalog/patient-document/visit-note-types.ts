import { z } from "zod";
import {
  createdDate,
  defaulted,
  defaultedPracticeColumn,
  deletedDate,
  integer,
  readOnly,
  required,
  text,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";

const snomedCode = z.object({ code: text(50), description: text(500).nullable().optional() });

/** A kind of visit note. */
export const visitNoteTypes = defineResource({
  name: "visit_note_types",
  title: "VisitNoteType",
  noun: "visit note type",
  owner: "practice",
  shared: true,
  operations: OPERATIONS,
  fields: {
    created_date: createdDate,
    deleted_date: deletedDate,
    is_mu_office_visit: defaulted(z.boolean(), false),
    name: required(text(50)),
    practice_created: defaultedPracticeColumn,
    rank: readOnly(integer()),
    snomed_code: defaulted(snomedCode),
  },
  filters: ["name", "practice_created"],
});
