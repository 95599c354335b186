import { createHash, randomUUID } from "node:crypto";
import type { Access } from "@/lib/access/identity/access";
import { getChart } from "@/lib/api/documents/chart/queries";
import { isoNow } from "@/lib/platform/clock";
import { ValidationError } from "@/lib/platform/errors";
import { renderDocument } from "@/lib/platform/jobs/render-document";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import { sign } from "@/lib/platform/signing";
import { type CcdaInput, type DocumentRequest, idRoots, ROOT_KINDS } from "./schema";
import { unofferedSections } from "./templates";

/**
 * Generates the C-CDA R2.1 document of a patient, in XML.
 *
 * @throws ValidationError naming `sections` or `end_date`
 * @throws NotFoundError if the patient is absent or another practice's
 * @throws OverloadedError document_queue_full, document_too_slow
 */
export async function generateCcda(
  { access, requester }: { access: Access; requester: Requester },
  patientId: number,
  request: DocumentRequest,
): Promise<string> {
  validateRequest(request);
  const chart = await getChart(access, patientId);
  const roots = idRoots.parse(Object.fromEntries(ROOT_KINDS.map((kind) => [kind, idRoot(kind)])));
  const context = { ...request, documentId: randomUUID(), now: isoNow(), roots };
  return renderDocument<CcdaInput, string>("render-ccda", { chart, context }, requester);
}

function validateRequest({ template, sections = [], period: { start, end } }: DocumentRequest): void {
  const foreign = unofferedSections(template, sections);
  if (foreign.length > 0) throw new ValidationError({ sections: [`Not in ${template}: ${foreign.join(", ")}.`] });
  if (start !== undefined && end !== undefined && start > end) {
    throw new ValidationError({ end_date: ["Must not be before start_date."] });
  }
}

/** Returns this installation's UUID for the IDs of a kind of records (RFC 9562 version 8, from a keyed hash). */
function idRoot(kind: string): string {
  const hex = createHash("sha256").update(sign("ccda-root", kind)).digest("hex");
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
