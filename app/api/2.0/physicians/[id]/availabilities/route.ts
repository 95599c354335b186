// GET, PUT physicians/{id}/availabilities: never paged. PUT replaces the whole week; the ETag is the physician's.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { etagOf } from "@/lib/platform/http/conditional";
import { route } from "@/lib/platform/http/route";
import { replaceAvailabilities } from "@/lib/practice/physicians/commands";
import { getPhysician, listAvailabilities } from "@/lib/practice/physicians/queries";
import { availabilitiesInput, availabilityResponse, toAvailabilityDto } from "@/lib/practice/physicians/schema";
import { getPractice } from "@/lib/practice/practices/queries";

const params = { id: idParam };
const response = z.array(availabilityResponse);

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "physicians.list_availabilities",
    summary: "Get a physician's weekly availability",
    scope: "system/physicians.read",
    params,
    response,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params }) => {
      const physician = await getPhysician(access, params.id);
      const blocks = await listAvailabilities(access, params.id);
      const { timezone } = await getPractice(access, physician.practice_id);
      const headers = { etag: etagOf(physician.version) };
      return { body: blocks.map((block) => toAvailabilityDto(block, timezone)), headers };
    },
  }),
  PUT: endpoint({
    name: "physicians.replace_availabilities",
    summary: "Replace a physician's weekly availability",
    conditional: true,
    scope: "system/physicians.write",
    params,
    body: json(availabilitiesInput),
    response,
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params, ifMatch, origin, body }) => {
      const request = { access, id: params.id, ifMatch, origin };
      const { physician, blocks } = await replaceAvailabilities(request, body.availabilities);
      const { timezone } = await getPractice(access, physician.practice_id);
      const headers = { etag: etagOf(physician.version) };
      return { body: blocks.map((block) => toAvailabilityDto(block, timezone)), headers };
    },
  }),
});
