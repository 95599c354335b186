// GET visit_notes/{id}/visit_summary: a PDF of the note only, signed or not.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toPrintedReply } from "@/lib/printing/dto";
import { printVisit } from "@/lib/printing/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "visit_notes.print_visit_summary",
    summary: "Get the summary of a visit as PDF",
    produces: ["application/pdf"],
    scope: "system/visit_notes.read",
    params: { id: idParam },
    status: 200,
    handle: async ({ access, requester, params: { id } }) =>
      toPrintedReply(await printVisit({ access, requester }, id, "visit")),
  }),
});
