// GET practices: only those the client has access to.
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { toPracticeDto } from "@/lib/api/practices/dto";
import { practiceResponse } from "@/lib/api/practices/schema";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";
import { listPractices, PRACTICE_ORDERS } from "@/lib/practice/practices/queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "practices.list",
    summary: "List practices",
    scope: "system/practices.read",
    query: pageQuery(Object.keys(PRACTICE_ORDERS)),
    response: pageSchema(practiceResponse),
    status: 200,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listPractices(access, page), toPracticeDto) };
    },
  }),
});
