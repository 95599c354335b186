// GET lab_orders/{id}/printable: the order as a PDF. Returns 404 for a print header of another practice.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { printLabOrder, toPdfReply } from "@/lib/api/documents/pdf/queries";
import { printableQuery } from "@/lib/api/documents/pdf/schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "lab_orders.print",
    summary: "Get a lab order as a PDF",
    produces: ["application/pdf"],
    scope: "system/lab_orders.read",
    params: { id: idParam },
    query: printableQuery,
    status: 200,
    handle: async ({ access, requester, params: { id }, query }) =>
      toPdfReply(await printLabOrder({ access, requester }, id, query.print_header)),
  }),
});
