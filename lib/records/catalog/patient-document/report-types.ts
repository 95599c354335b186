import { defaultedPracticeColumn, integer, required, text } from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

/** A kind of report. */
export const reportTypes = defineResource({
  name: "report_types",
  title: "ReportType",
  noun: "report type",
  owner: "practice",
  shared: true,
  operations: ["list", "get"],
  fields: {
    display_value: required(text()),
    practice: defaultedPracticeColumn,
    rank: required(integer()),
    report_type: required(text()),
  },
  filters: ["practice"],
  bulkLoad: { key: "report_type" },
});
