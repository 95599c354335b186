// POST practices/{practice}/members/{member}/password: shows the new password once, and ends the member's sessions.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { route } from "@/lib/platform/http/route";
import { resetMemberPassword } from "@/lib/practice/members/commands";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  POST: staffEndpoint({
    name: "staff.members.reset_password",
    role: "admin",
    params: { practice: idParam, member: idParam },
    status: 200,
    oneTimeResponse: true,
    versioned: true,
    handle: async ({ access, params, origin, ifMatch }) => ({
      body: { password: await resetMemberPassword({ access, origin, userId: params.member, ifMatch }) },
    }),
  }),
});
