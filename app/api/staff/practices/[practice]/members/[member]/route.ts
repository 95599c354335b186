// PATCH, DELETE practices/{practice}/members/{member}. DELETE removes the member from this practice only.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { memberPatch } from "@/lib/access/staff/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { changeMember, removeMember } from "@/lib/practice/members/commands";

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
