import { reference, refersTo, required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** An internal note of the practice on a report. */
export const reportNotes = defineResource({
  name: "report_notes",
  title: "InternalPracticeNote",
  noun: "internal note",
  owner: { field: "document" },
  partOf: { resource: "reports", id: ({ data }) => data.document },
  operations: ["list", "create", "get", "update", "delete"],
  fields: { document: refersTo(required(reference), "reports"), text: required(text(256)) },
  filters: ["document"],
});
