// GET policies/{policy}/versions/{version}: the policy as it then stood, its card images, and who last changed each field.
// Without Insurance Versioning 409.
import { idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { staffEndpoint } from "@/lib/http/staff-endpoint";
import { readVersion, requireShownHistory } from "@/lib/policies/history-queries";
import { versionParam } from "@/lib/policies/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.version",
    role: "viewer",
    params: { practice: idParam, patient: idParam, policy: idParam, version: versionParam },
    status: 200,
    handle: async ({ access, params }) => {
      await requireShownHistory(access, params.patient);
      return { body: await readVersion(access, params.patient, params.policy, params.version) };
    },
  }),
});
