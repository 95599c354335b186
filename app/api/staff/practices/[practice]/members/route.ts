// GET, POST practices/{practice}/members: the practice's members and their changes.
import { listRecordChanges } from "@/lib/history/staff-queries";
import { json } from "@/lib/http/body";
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { addMember } from "@/lib/staff/member-commands";
import { listMembers } from "@/lib/staff/member-queries";
import { memberInput } from "@/lib/staff/schema";

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
    toldOnce: true,
    handle: async ({ access, body, origin }) => ({ body: await addMember({ access, origin }, body) }),
  }),
});
