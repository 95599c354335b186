// GET reports/{id}/printable: the report as a PDF. Returns 404 for a print header of another practice.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { printReport, toPdfReply } from "@/lib/api/documents/pdf/queries";
import { printableQuery } from "@/lib/api/documents/pdf/schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "reports.print",
    summary: "Get a report as a PDF",
    produces: ["application/pdf"],
    scope: "system/reports.read",
    params: { id: idParam },
    query: printableQuery,
    status: 200,
    handle: async ({ access, requester, params: { id }, query }) =>
      toPdfReply(await printReport({ access, requester }, id, query.print_header)),
  }),
});
