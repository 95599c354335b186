import type { Data, Write } from "@/lib/records/engine/schema";

/** When a document is from and where it stands in the chart: where neither was sent, now. */
export function withDocumentDates({ data, now }: Pick<Write, "data" | "now">): Data {
  const document_date = data.document_date ?? now;
  return { ...data, document_date, chart_date: data.chart_date ?? document_date };
}
