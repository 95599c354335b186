import { createHash, randomUUID } from "node:crypto";
import { getChart } from "@/lib/charts/queries";
import { isoNow } from "@/lib/clock";
import { ValidationError } from "@/lib/errors";
import type { Access } from "@/lib/oauth/access";
import { sign } from "@/lib/signing";
import { documentOf } from "./rules/document";
import { sectionsOutOf } from "./rules/templates";
import type { DocumentRequest } from "./schema";

/**
 * The C-CDA R2.1 document of a patient, in XML.
 *
 * @throws ValidationError naming `sections` or `end_date`
 * @throws NotFoundError where the patient is absent or another practice's
 */
export async function makeCcda(access: Access, patientId: number, request: DocumentRequest): Promise<string> {
  requireSound(request);
  const chart = await getChart(access, patientId);
  return documentOf(chart, { ...request, documentId: randomUUID(), now: isoNow(), rootOf });
}

function requireSound({ template, sections = [], period: { start, end } }: DocumentRequest): void {
  const foreign = sectionsOutOf(template, sections);
  if (foreign.length > 0) throw new ValidationError({ sections: [`Not in ${template}: ${foreign.join(", ")}.`] });
  if (start !== undefined && end !== undefined && start > end) {
    throw new ValidationError({ end_date: ["Must not be before start_date."] });
  }
}

/** A UUID of this installation's own for the ids of a kind of records (RFC 9562 version 8: made of a keyed hash). */
function rootOf(kind: string): string {
  const hex = createHash("sha256").update(sign("ccda-root", kind)).digest("hex");
  const variant = ((Number.parseInt(hex[16] as string, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
