/** Sets the date of a document and its date in the chart. The document's date defaults to now, the chart's to the document's. */
export function withDocumentDates<M extends { document_date?: string; chart_date?: string }>({
  data,
  now,
}: {
  data: M;
  now: string;
}) {
  const document_date = data.document_date ?? now;
  return { ...data, document_date, chart_date: data.chart_date ?? document_date };
}
