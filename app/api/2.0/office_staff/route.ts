// GET office_staff/: the staff members of the caller's practices.
import { endpoint } from "@/lib/access/endpoints/endpoint";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";
import { listOfficeStaff } from "@/lib/practice/members/queries";
import { officeStaff, toOfficeStaffDto } from "@/lib/practice/members/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "office_staff.list",
    summary: "List staff members",
    scope: "system/office_staff.read",
    query: pageQuery(),
    response: pageSchema(officeStaff),
    status: 200,
    readsMuch: true,
    handle: async ({ access, query, url }) => {
      const page = toPageRequest(query, url);
      return { body: toPage(url, page, await listOfficeStaff(access, page), toOfficeStaffDto) };
    },
  }),
});
