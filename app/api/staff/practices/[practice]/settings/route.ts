// GET practices/{practice}/settings: Insurance Versioning, deprecation clock, legacy use by client, and past changes.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { getSettingsPage } from "@/lib/practices/settings-queries";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.settings.get",
    role: "viewer",
    params: { practice: idParam },
    status: 200,
    handle: async ({ access, params }) => ({ body: await getSettingsPage(access, params.practice) }),
  }),
});
