import type { PdfFile } from "./schema";

/** A response that browsers show rather than download. */
export function toPdfReply({ bytes, filename, patientId }: PdfFile) {
  return { file: { bytes, contentType: "application/pdf", filename, inline: true }, patients: [patientId] };
}
