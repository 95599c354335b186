// GET home: the user's practices, each with the counts that may need attention.
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { listPracticeHomes } from "@/lib/practices/home-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.home.list",
    role: "viewer",
    status: 200,
    handle: async ({ access }) => ({ body: { practices: await listPracticeHomes(access) } }),
  }),
});
