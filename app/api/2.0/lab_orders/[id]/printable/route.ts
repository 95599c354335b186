// GET lab_orders/{id}/printable: the order as a PDF. Returns 404 for a print header of another practice.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toPrintedReply } from "@/lib/printing/dto";
import { printLabOrder } from "@/lib/printing/queries";
import { printableQuery } from "@/lib/printing/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "lab_orders.print",
    summary: "Get a lab order as PDF",
    produces: ["application/pdf"],
    scope: "system/lab_orders.read",
    params: { id: idParam },
    query: printableQuery,
    status: 200,
    handle: async ({ access, requester, params: { id }, query }) =>
      toPrintedReply(await printLabOrder({ access, requester }, id, query.print_header)),
  }),
});
