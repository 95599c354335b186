// GET practices/{practice}/settings: Insurance Versioning, deprecation clock, legacy use by client, and past changes.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { route } from "@/lib/platform/http/route";
import { getSettingsPage } from "@/lib/practice/practices/staff-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.settings.get",
    role: "admin",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getSettingsPage(access, params.practice) }),
  }),
});
