import type { PdfFile } from "./schema";

/** A paper as an answer, to be shown. */
export function toPdfReply({ bytes, filename, patientId }: PdfFile) {
  return { file: { bytes, contentType: "application/pdf", filename, inline: true }, patients: [patientId] };
}
