// GET, POST practices/{practice}/members: the practice's members and their changes.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { listRecordChanges } from "@/lib/access/history/queries";
import { listMembers } from "@/lib/access/staff/member-queries";
import { memberInput } from "@/lib/access/staff/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { addMember } from "@/lib/practice/members/commands";

const CHANGES = 50;

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.members.list",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access }) => ({
      body: {
        members: await listMembers(access),
        changes: await listRecordChanges(access, { type: "staff_user", limit: CHANGES }),
      },
    }),
  }),
  POST: staffEndpoint({
    name: "staff.members.add",
    role: "admin",
    params: { practice: idParam },
    body: json(memberInput),
    status: 201,
    oneTimeResponse: true,
    handle: async ({ access, body, origin }) => ({ body: await addMember({ access, origin }, body) }),
  }),
});
