// GET visit_notes/{id}/clinical_summary: a PDF of the note with the patient's problems, medications and allergies.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toPrintedReply } from "@/lib/printing/dto";
import { printVisit } from "@/lib/printing/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "visit_notes.print_clinical_summary",
    summary: "Get the clinical summary of a visit as PDF",
    produces: ["application/pdf"],
    scope: "system/visit_notes.read",
    params: { id: idParam },
    status: 200,
    handle: async ({ access, requester, params: { id } }) =>
      toPrintedReply(await printVisit({ access, requester }, id, "clinical")),
  }),
});
