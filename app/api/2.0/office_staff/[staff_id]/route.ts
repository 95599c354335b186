// GET office_staff/{staff_id}/: a staff member of a practice.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { getOfficeStaff } from "@/lib/practice/members/queries";
import { officeStaff, toOfficeStaffDto } from "@/lib/practice/members/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "office_staff.get",
    summary: "Get a staff member",
    scope: "system/office_staff.read",
    params: { staff_id: idParam },
    response: officeStaff,
    status: 200,
    handle: async ({ access, params: { staff_id } }) => ({
      body: toOfficeStaffDto(await getOfficeStaff(access, staff_id)),
    }),
  }),
});
