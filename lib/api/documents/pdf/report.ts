import { formatReferenceRange, formatResultValue } from "@/lib/api/documents/chart/format";
import type { LabGrid, Report } from "@/lib/api/documents/chart/schema";
import { type Formatter, type FormContext, nonEmptyFacts } from "./format";
import type { Block, Row } from "./schema";

export function reportTitle({ custom_title, report_type }: Report): string {
  return custom_title || `${report_type ?? "Report"} report`;
}

/** Returns the content of a report: dates and people, then a table for each grid of results. */
export function reportBlocks(report: Report, { format, physician, vendor }: FormContext): Block[] {
  const grids = report.grids ?? [];
  const names = (report.files ?? []).flatMap(({ original_filename }) => original_filename ?? []);
  const isUrgent = report.is_urgent ? "Yes" : "";
  const facts = nonEmptyFacts([
    ["Report type", report.report_type],
    ["Document date", format.date(report.document_date)],
    ["Reported", format.dateTime(report.reported_date)],
    ["Physician", physician],
    ["Vendor", vendor],
    ["Requisition number", report.requisition_number],
    ["Order status", sentenceCase(report.order_status)],
    ["Urgent", isUrgent],
    ["Attached files", names.join(", ")],
  ]);
  const body: Block[] = grids.flatMap((grid, index) =>
    gridBlocks(grid, { format, number: grids.length > 1 ? index + 1 : 0 }),
  );
  const nothing: Block[] = body.length > 0 ? [] : [{ kind: "paragraph", text: "This report holds no results." }];
  return [{ kind: "facts", facts }, ...body, ...nothing];
}

const COLUMNS = [
  { title: "Test", share: 30 },
  { title: "Result", share: 18 },
  { title: "Flag", share: 18 },
  { title: "Reference range", share: 17 },
  { title: "Status", share: 17 },
];

function gridBlocks(grid: LabGrid, { format, number }: { format: Formatter; number: number }): Block[] {
  const facts = nonEmptyFacts([
    ["Collected", format.dateTime(grid.collected_date)],
    ["Resulted", format.dateTime(grid.resulted_date)],
    ["Accession number", grid.accession_number],
    ["Status", sentenceCase(grid.status)],
    ["Note", grid.note],
  ]);
  return [
    { kind: "heading", text: number > 0 ? `Results ${number}` : "Results" },
    { kind: "facts", facts },
    { kind: "table", columns: COLUMNS, rows: resultRows(grid) },
  ];
}

function resultRows({ results = [] }: LabGrid): Row[] {
  if (results.length === 0) return [{ cells: ["No results"] }];
  return results.map((result) => {
    const note = [result.value ? result.text : null, result.note].filter(Boolean).join("\n");
    const flag = result.is_abnormal ? result.abnormal_flag || "Abnormal" : "";
    const cells = [
      result.test?.name ?? "",
      formatResultValue(result),
      flag,
      formatReferenceRange(result),
      sentenceCase(result.status) ?? "",
    ];
    return { cells, note, marked: result.is_abnormal ? [1, 2] : [] };
  });
}

/** Converts a word in capitals, as laboratories send it, to sentence case. */
function sentenceCase(word: string | null | undefined): string | undefined {
  if (!word) return undefined;
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}
