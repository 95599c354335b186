// GET practices: only those the client has access to.
import { endpoint } from "@/lib/http/endpoint";
import { pageOf, pageQuery, toPage, toPageRequest } from "@/lib/http/pagination";
import { route } from "@/lib/http/route";
import { toPracticeDto } from "@/lib/practices/dto";
import { listPractices, PRACTICE_ORDERS } from "@/lib/practices/queries";
import { practiceAnswer } from "@/lib/practices/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "practices.list",
    summary: "List practices",
    scope: "system/practices.read",
    query: pageQuery(Object.keys(PRACTICE_ORDERS)),
    response: pageOf(practiceAnswer),
    status: 200,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listPractices(access, page), toPracticeDto) };
    },
  }),
});
