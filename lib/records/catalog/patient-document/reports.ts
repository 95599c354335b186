import { z } from "zod";
import {
  createdDate,
  defaulted,
  deletedDate,
  idColumn,
  integer,
  list,
  optional,
  patientColumn,
  practiceColumn,
  readOnly,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource, OPERATIONS, rangeFilters } from "@/lib/records/engine/schema";
import { documentFiles, showFiles, storedFiles, storeFiles } from "@/lib/records/rules/document-files";
import { withSignature } from "@/lib/records/rules/documents";
import { reportType } from "@/lib/records/rules/nested-schemas";
import { reportDelegates } from "./report-delegates";

const abnormalFlag = z.enum([
  "Abnormal",
  "Abnormal (applies to non-numeric results)",
  "Above high normal",
  "Alert high",
  "Alert low",
  "Below low normal",
  "Beta-lactamase Pos (B-lactamase antibiotic resistant).",
  "Better-use when direction not relevant",
  "Critical",
  "Critical abnormal",
  "Intermediate result",
  "Intermediate. Indicates for microbiology susceptibilities only.",
  "Moderately susceptible. Indicates for microbiology susceptibilities only.",
  "Negative",
  "Negative result",
  "Normal (applies to non-numeric results)",
  "Not Applicable",
  "Panic high",
  "Panic low",
  "Positive result",
  "Resistant. Indicates for microbiology susceptibilities only.",
  "Significant change down",
  "Significant change up",
  "Susceptible. Indicates for microbiology susceptibilities only.",
  "Very High",
  "Very susceptible. Indicates for microbiology susceptibilities only.",
  "Worse-use when direction not relevant",
]);

const labResultStatus = z.enum([
  "AMENDED",
  "CORRECTED",
  "DELETED",
  "ERROR",
  "FINAL",
  "PARTIAL",
  "PENDING",
  "PRELIMINARY",
  "RESULT CANCELED DUE TO NON-PERFORMANCE",
  "RESULTS ENTERED -- NOT VERIFIED",
  "RESULTS STATUS CHANGE TO FINAL. RESULTS DID NOT CHANGE ( DONT TRANSMIT TEST).",
]);

const labTest = z.object({ code: text(50), loinc: text().nullable(), name: text(255) });

const labTestCategory = z.object({ description: text(200), value: text(50) });

const labResult = z.object({
  abnormal_flag: abnormalFlag,
  is_abnormal: z.boolean(),
  note: text().nullable(),
  reference_max: text().nullable(),
  reference_min: text().nullable(),
  status: labResultStatus,
  test: labTest,
  test_category: labTestCategory,
  text: text().nullable(),
  units: text(20).nullable().optional(),
  value: text(500),
  value_type: z.enum(["Coded Entry", "Encapsulated Data", "Numeric", "String Data", "Text"]).nullable().optional(),
});

const labResultsGrid = z.object({
  accession_number: text(),
  collected_date: time,
  note: text().nullable(),
  resulted_date: time,
  results: list(labResult),
  status: labResultStatus,
});

const reportImage = z.object({ document: text(), id: reference.readonly().optional() });

const orderStatus = z.enum([
  "CANCELED",
  "COMPLETED",
  "DISCONTINUED",
  "ERROR, ORDER NOT FOUND",
  "IN PROCESS",
  "ON HOLD",
  "REPLACED",
  "SCHEDULED",
]);

const routedDocumentDelegate = z.object({
  created_date: time.nullable().readonly().optional(),
  deleted_date: time.nullable().readonly().optional(),
  group: integer().nullable().optional(),
  id: reference.readonly().optional(),
  user: integer().nullable().optional(),
});

/** The only fields that can change. */
const signing = {
  id: idColumn,
  is_urgent: defaulted(z.boolean(), false),
  signed_by: refersTo(optional(reference), "physicians"),
  signed_date: optional(time),
};

/** A report about a patient, for example results or a discharge summary. */
export const reports = defineResource({
  name: "reports",
  title: "Report",
  noun: "report",
  owner: "patient",
  operations: OPERATIONS,
  fields: {
    chart_date: required(time),
    created_date: createdDate,
    custom_title: optional(text(255)),
    deleted_date: deletedDate,
    document_date: required(time),
    files: documentFiles,
    grids: defaulted(list(labResultsGrid), []),
    images: readOnly(list(reportImage).nullable(), null),
    is_urgent: defaulted(z.boolean(), false),
    order_status: optional(orderStatus),
    patient: patientColumn,
    physician: refersTo(required(reference), "physicians"),
    practice: practiceColumn,
    printable_view: defaulted(text(), ""),
    report_type: required(reportType),
    reported_date: defaulted(time),
    requisition_number: optional(text(100)),
    routed_document_delegates: readOnly(list(routedDocumentDelegate), []),
    signed_by: refersTo(optional(reference), "physicians"),
    signed_date: optional(time),
    tags: refersTo(defaulted(list(reference), []), "document_tags"),
    vendor: refersTo(optional(reference), "lab_vendors"),
  },
  filters: [...rangeFilters("document_date"), "patient", "practice", ...rangeFilters("reported_date")],
  views: { update: { title: "UpdateReport", fields: signing } },
  sortFields: ["document_date", "reported_date"],
  stored: { files: storedFiles },
  beforeWrite: async (write) => {
    const data = withSignature(write);
    if (write.before) return { ...data, files: write.before.files };
    return { ...data, files: write.sent.files ? await storeFiles(write.sent.files, [], write) : null };
  },
  serialize: async (records, { reader, link, fileLink }) => {
    const delegates = await reader.recordsWhere(
      reportDelegates,
      "document",
      records.map(({ id }) => id),
    );
    return records.map(({ id, data }) => ({
      files: showFiles(data.files, { fileLink }),
      printable_view: data.printable_view || link(`reports/${id}/printable/`),
      routed_document_delegates: delegates
        .filter((delegate) => delegate.data.document === id)
        .map((delegate) => {
          const { document: _document, ...addressee } = delegate.data;
          const { created_date, deleted_date } = delegate;
          return { ...addressee, id: delegate.id, created_date, deleted_date };
        }),
    }));
  },
});
