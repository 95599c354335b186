// GET patients/{id}/policies/{policy_id}/versions/{n}: the policy and its card images as of that version.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { toVersionDetailDto } from "@/lib/insurance/policies/dto";
import { getVersion } from "@/lib/insurance/policies/queries";
import { versionDetailResponse, versionParam } from "@/lib/insurance/policies/schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "policies.version",
    summary: "Get a version of a policy",
    group: "Insurance",
    errors: [410],
    scope: "system/patients.read",
    params: { id: idParam, policy_id: idParam, version: versionParam },
    response: versionDetailResponse,
    status: 200,
    handle: async ({ access, params, url }) => {
      const row = await getVersion(access, params.id, params.policy_id, params.version);
      return { body: toVersionDetailDto(row, url) };
    },
  }),
});
