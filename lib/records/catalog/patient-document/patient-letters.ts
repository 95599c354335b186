import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  list,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, rangeFilters } from "@/lib/records/engine/schema";
import { documentFiles, showFiles, storedFiles, storeFiles } from "@/lib/records/rules/document-files";
import { signOn } from "@/lib/records/rules/documents";
import { letterAttachment } from "@/lib/records/rules/letter-attachments";

/** A letter between a patient and the practice. */
export const patientLetters = defineResource({
  name: "patient_letters",
  title: "PatientLetter",
  noun: "patient letter",
  owner: "patient",
  operations: ["list", "create", "get", "replace", "update"],
  fields: {
    attachments: defaulted(list(letterAttachment), []),
    body: defaulted(text(), ""),
    category: refersTo(readOnly(reference.nullable(), null), "patient_letter_categories"),
    created_date: createdDate,
    deleted_date: deletedDate,
    delivery_date: optional(time),
    document_date: defaulted(time),
    files: documentFiles,
    is_patient_initiated: optional(z.boolean()),
    is_processed: readOnly(z.boolean(), false),
    letter_type: readOnly(text(), "patient"),
    patient: patientColumn,
    patient_read_time: optional(time),
    practice: practiceColumn,
    send_out: defaulted(z.boolean(), false),
    send_to_patient: readOnly(z.boolean(), true),
    sign_date: optional(time),
    signed_by: refersTo(optional(reference), "physicians"),
    subject: defaulted(text(200), ""),
    tags: refersTo(defaulted(list(reference), []), "document_tags"),
    viewed_at: optional(time),
  },
  filters: [...rangeFilters("document_date"), "patient", "practice", "unread"],
  sortFields: ["document_date"],
  keys: {
    unread: {
      schema: z.boolean(),
      value: (data) => (data.is_patient_initiated ? data.viewed_at : data.patient_read_time) === null,
      label:
        "`unread`, which is true until the recipient has read the letter: the patient (`patient_read_time`), or the practice if the patient wrote it (`viewed_at`)",
    },
  },
  stored: { files: storedFiles },
  nestedReferences: { attachments: { handout: "handouts" } },
  beforeWrite: async (write) => {
    const data = signOn("sign_date", write);
    const before = write.before?.files ?? null;
    const { files = before } = write.sent;
    return {
      ...data,
      document_date: data.document_date ?? write.now,
      files: files && (files === before ? before : await storeFiles(files, before ?? [], write)),
      send_to_patient: data.is_patient_initiated !== true,
    };
  },
  serialize: (records, { fileLink }) => records.map(({ data }) => ({ files: showFiles(data.files, { fileLink }) })),
});
