import { z } from "zod";
import { bills } from "@/lib/records/catalog/billing/bills";
import {
  createdDate,
  defaulted,
  deletedDate,
  idColumn,
  integer,
  list,
  modifiedDate,
  optional,
  patientColumn,
  readOnly,
  readOnlyPracticeColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS, rangeFilters, updates } from "@/lib/records/engine/schema";
import { withSignature } from "@/lib/records/rules/documents";
import { document } from "@/lib/records/rules/nested-schemas";

const amendmentRequest = z.object({
  amendment_source: z.enum(["Patient", "Provider or Organization"]),
  request_date: time.nullable().optional(),
  request_description: text(),
  status: z.enum(["accepted", "denied"]),
  status_updated_date: time.nullable().optional(),
});

const category = z.enum([
  "Allergies",
  "Assessment",
  "Assessplan",
  "Attending",
  "Consultant",
  "Data",
  "Dateprocedure",
  "ElationNoteColOne",
  "ElationNoteColTwo",
  "ElationNoteCustomBlock",
  "ElationNoteOtherData",
  "Family",
  "Followup",
  "Habits",
  "Hpi",
  "Instr",
  "Med",
  "Narrative",
  "Objective",
  "Orders",
  "PE",
  "Past",
  "Plan",
  "Problem",
  "Procedure",
  "ROS",
  "Reason",
  "Referenced",
  "Social",
  "Surgical",
  "Test",
  "Tx",
]);

const visitNoteDocument = z.object({
  document: document,
  id: reference.readonly().optional(),
  summary: text().nullable().optional(),
});

const bulletWithMeta = z.object({
  author: integer().optional(),
  category: category,
  deleted_date: time.nullable().readonly().optional(),
  edit: reference.nullable().optional(),
  note_document: visitNoteDocument.nullable().optional(),
  replaced_by: reference.nullable().optional(),
  replaced_by_edit: reference.nullable().optional(),
  sequence: integer(0).optional(),
  text: text(),
  updated_date: time.nullable().optional(),
  version: integer(0, 65535).optional(),
});

const visitNoteEdit = z.object({
  create_user: integer().optional(),
  created_date: time.nullable().readonly().optional(),
  new_bmi: z.number().optional(),
  new_note_time: time.optional(),
  new_note_type: text().optional(),
  new_prev_bmi: z.number().optional(),
  new_prev_time: time.optional(),
  new_prev_weight: text(10).optional(),
  previous_bmi: z.number().optional(),
  previous_note_time: time.optional(),
  previous_note_type: text().optional(),
  previous_prev_bmi: z.number().optional(),
  previous_prev_time: time.optional(),
  previous_prev_weight: text(10).optional(),
  visit_note: reference,
});

const visitNoteSignatureList = list(
  z.object({ comments: text(), role: text(), signed_date: time, user: text(), user_name: text() }),
);

/** The signature of a note, the only fields that can change (specification, Authentication 8). */
const signatures = {
  id: idColumn,
  signatures: defaulted(visitNoteSignatureList),
  signed_by: refersTo(optional(reference), "physicians"),
  signed_date: optional(time),
};

/** A note about a visit. */
export const visitNotes = defineResource({
  name: "visit_notes",
  title: "VisitNote",
  noun: "visit note",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    amendment_request: readOnly(amendmentRequest),
    bullets: required(list(bulletWithMeta)),
    chart_date: required(time),
    checklists: defaulted(z.record(z.string(), list(z.object({ name: text(), sequence: integer(), value: text() })))),
    clinical_summary_link: readOnly(text(), ""),
    confidential: defaulted(z.boolean(), false),
    created_date: createdDate,
    deleted_date: deletedDate,
    document_date: required(time),
    edits: defaulted(list(visitNoteEdit), []),
    last_modified: modifiedDate,
    patient: patientColumn,
    physician: refersTo(required(reference), "physicians"),
    practice: readOnlyPracticeColumn,
    signatures: defaulted(visitNoteSignatureList),
    signed_by: refersTo(optional(reference), "physicians"),
    signed_date: optional(time),
    template: required(
      z.enum(["Complete H&P (1 col)", "Complete H&P (2 col A/P)", "Complete H&P (2 col)", "Pre-Op", "SOAP", "Simple"]),
    ),
    type: defaulted(text(), "Office Visit Note"),
    visit_summary_link: readOnly(text(), ""),
  },
  filters: [
    ["from_signed_date", "signed_date__gte"],
    ...rangeFilters("last_modified"),
    "patient",
    "physician",
    "practice",
    ["to_signed_date", "signed_date__lte"],
    ["unsigned", "signed_date__isnull"],
  ],
  views: { update: { title: "AddSignaturesToNote", fields: signatures } },
  sortFields: ["document_date", "last_modified"],
  beforeWrite: (write) => {
    const data = withSignature(write);
    if (write.before) return data;
    const first = { deleted_date: null, updated_date: write.now, version: 1 };
    return {
      ...data,
      bullets: data.bullets.map((bullet, sequence) => ({ ...first, sequence, ...bullet })),
      edits: data.edits.map((edit) => ({ ...edit, created_date: write.now })),
    };
  },
  // Bills copy who signed their note and when, and that it was deleted.
  effects: async ({ kind, record, reader }) => {
    if (kind === "created") return [];
    const billed = await reader.recordsWhere(bills, "visit_note_id", [record.id]);
    return billed.map(({ id }) => updates(bills, id, {}));
  },
  serialize: (notes, { link }) =>
    notes.map(({ id }) => ({
      clinical_summary_link: link(`visit_notes/${id}/clinical_summary/`),
      visit_summary_link: link(`visit_notes/${id}/visit_summary/`),
    })),
});
