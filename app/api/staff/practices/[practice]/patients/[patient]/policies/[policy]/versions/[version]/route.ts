// GET policies/{policy}/versions/{version}: with the author of each field. Returns 409 if Insurance Versioning is off.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { versionParam } from "@/lib/insurance/policies/schema";
import { readVersion, requireVisibleHistory } from "@/lib/insurance/policies/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.version",
    role: "viewer",
    params: { practice: idParam, patient: idParam, policy: idParam, version: versionParam },
    status: 200,
    handle: async ({ access, params }) => {
      await requireVisibleHistory(access, params.patient);
      return { body: await readVersion(access, params.patient, params.policy, params.version) };
    },
  }),
});
