// GET reports/{id}/printable: the report as a PDF. Returns 404 for a print header of another practice.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toPrintedReply } from "@/lib/printing/dto";
import { printReport } from "@/lib/printing/queries";
import { printableQuery } from "@/lib/printing/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "reports.print",
    summary: "Get a report as PDF",
    produces: ["application/pdf"],
    scope: "system/reports.read",
    params: { id: idParam },
    query: printableQuery,
    status: 200,
    handle: async ({ access, requester, params: { id }, query }) =>
      toPrintedReply(await printReport({ access, requester }, id, query.print_header)),
  }),
});
