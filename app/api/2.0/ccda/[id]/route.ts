// GET ccda/{id}: the patient's chart as C-CDA R2.1. Required sections missing from `sections` are included, but empty.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { generateCcda } from "@/lib/api/documents/ccda/queries";
import { ccdaQuery, ccdaResponse, toCcdaDto } from "@/lib/api/documents/ccda/schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "ccda.get",
    summary: "Get a patient's chart as a C-CDA document",
    scope: "system/ccda.read",
    params: { id: idParam },
    query: ccdaQuery,
    response: ccdaResponse,
    status: 200,
    handle: async ({ access, requester, params: { id }, query: { template, sections, start_date, end_date } }) => {
      const period = { start: start_date, end: end_date };
      const xml = await generateCcda({ access, requester }, id, { template, sections, period });
      return { body: toCcdaDto(id, xml), patients: [id] };
    },
  }),
});
