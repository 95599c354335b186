// GET visit_notes/{id}/clinical_summary: a PDF of the note with the patient's problems, medications and allergies.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { printVisit, toPdfReply } from "@/lib/api/documents/pdf/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "visit_notes.print_clinical_summary",
    summary: "Get the clinical summary of a visit as a PDF",
    produces: ["application/pdf"],
    scope: "system/visit_notes.read",
    params: { id: idParam },
    status: 200,
    handle: async ({ access, requester, params: { id } }) =>
      toPdfReply(await printVisit({ access, requester }, id, "clinical")),
  }),
});
