// GET policies/{policy}/versions/{version}: the policy as it then stood, its card images, and who last changed each field.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { readVersion } from "@/lib/policies/history-queries";
import { versionParam } from "@/lib/policies/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.version",
    role: "viewer",
    params: { practice: idParam, patient: idParam, policy: idParam, version: versionParam },
    status: 200,
    handle: async ({ access, params }) => ({
      body: await readVersion(access, params.patient, params.policy, params.version),
    }),
  }),
});
