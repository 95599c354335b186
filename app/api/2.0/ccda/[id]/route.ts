// GET ccda/{id}: the patient's chart as C-CDA R2.1. Required sections missing from `sections` are included, but empty.
import { toCcdaDto } from "@/lib/ccda/dto";
import { makeCcda } from "@/lib/ccda/queries";
import { ccdaAnswer, ccdaQuery } from "@/lib/ccda/schema";
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "ccda.get",
    summary: "Get a patient's chart as a C-CDA document",
    scope: "system/ccda.read",
    params: { id: idParam },
    query: ccdaQuery,
    response: ccdaAnswer,
    status: 200,
    handle: async ({ access, requester, params: { id }, query: { template, sections, start_date, end_date } }) => {
      const period = { start: start_date, end: end_date };
      const xml = await makeCcda({ access, requester }, id, { template, sections, period });
      return { body: toCcdaDto(id, xml), patients: [id] };
    },
  }),
});
