import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  integer,
  list,
  optional,
  patientColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS } from "@/lib/records/engine/schema";
import { withSignature } from "@/lib/records/rules/documents";
import { document } from "@/lib/records/rules/nested-schemas";

const nonVisitNoteBullet = z.object({
  author: integer().optional(),
  id: reference.optional(),
  text: text(),
  updated_date: time.readonly().optional(),
  version: integer(0, 65535).optional(),
});

const nonVisitNoteDocument = z.object({
  document: document,
  id: reference.readonly().optional(),
  summary: text().nullable().optional(),
});

const patientItem = z.object({
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  id: reference.readonly().optional(),
  is_confidential: z.boolean(),
  patient: reference,
  type: text(),
});

const nonVisitNotePatientItem = z.object({ id: reference.readonly().optional(), item: patientItem });

/** A note about a patient outside of a visit. */
export const nonVisitNotes = defineResource({
  name: "non_visit_notes",
  title: "NonVisitNote",
  noun: "non-visit note",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    bullets: defaulted(list(nonVisitNoteBullet), []),
    chart_date: required(time),
    created_date: createdDate,
    deleted_date: deletedDate,
    document_date: required(time),
    note_documents: defaulted(list(nonVisitNoteDocument), []),
    note_items: defaulted(list(nonVisitNotePatientItem), []),
    patient: patientColumn,
    signed_by: refersTo(optional(reference), "physicians"),
    signed_date: optional(time),
    tags: refersTo(defaulted(list(reference), []), "document_tags"),
    type: required(text()),
  },
  filters: ["patient"],
  beforeWrite: withSignature,
});
