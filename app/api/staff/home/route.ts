// GET home: the user's practices, each with the counts that may need attention.

import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { listPracticeHomes } from "@/lib/api/home/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.home.list",
    role: "admin",
    status: 200,
    readsMuch: true,
    handle: async ({ access }) => ({ body: { practices: await listPracticeHomes(access) } }),
  }),
});
