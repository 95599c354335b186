import { reference, text } from "@/lib/records/engine/field-types";
import { defineResource, refersTo, required } from "@/lib/records/engine/schema";

/** A note of the practice on a report, for itself alone. */
export const reportNotes = defineResource({
  name: "report_notes",
  title: "InternalPracticeNote",
  noun: "internal note",
  owner: { field: "document" },
  partOf: { resource: "reports", id: ({ data }) => data.document as number },
  operations: ["list", "create", "get", "update", "delete"],
  fields: { document: refersTo(required(reference), "reports"), text: required(text(256)) },
  filters: ["document"],
});
