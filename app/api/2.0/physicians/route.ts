// GET physicians. The name filters match whole names, ignoring case.
import { z } from "zod";
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";
import { listPhysicians, PHYSICIAN_ORDERS } from "@/lib/practice/physicians/queries";
import { physicianResponse, toPhysicianDto } from "@/lib/practice/physicians/schema";

const text = z.string().max(200).optional();

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "physicians.list",
    summary: "List physicians",
    scope: "system/physicians.read",
    query: { ...pageQuery(Object.keys(PHYSICIAN_ORDERS)), first_name: text, last_name: text, npi: text },
    response: pageSchema(physicianResponse),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listPhysicians(access, query, page), toPhysicianDto) };
    },
  }),
});
