// PATCH, DELETE practices/{practice}/members/{member}. DELETE removes the member from this practice only.
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { changeMember, removeMember } from "@/lib/staff/member-commands";
import { memberPatch } from "@/lib/staff/schema";

const params = { practice: idParam, member: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PATCH: staffEndpoint({
    name: "staff.members.change",
    role: "admin",
    params,
    body: json(memberPatch),
    status: 204,
    versioned: true,
    handle: async ({ access, params, body, origin, ifMatch }) => {
      await changeMember({ access, origin, userId: params.member, ifMatch }, body);
      return {};
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.members.remove",
    role: "admin",
    params,
    status: 204,
    versioned: true,
    handle: async ({ access, params, origin, ifMatch }) => {
      await removeMember({ access, origin, userId: params.member, ifMatch });
      return {};
    },
  }),
});
