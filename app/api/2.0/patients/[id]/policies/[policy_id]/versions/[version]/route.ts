// GET patients/{id}/policies/{policy_id}/versions/{n}: the policy and its card images as of that version.
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import { toVersionDetailDto } from "@/lib/policies/dto";
import { getVersion } from "@/lib/policies/queries";
import { versionDetailAnswer, versionParam } from "@/lib/policies/schema";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "policies.version",
    summary: "Get one version of a policy, as it stood",
    group: "Insurance",
    refusals: [410],
    scope: "system/patients.read",
    params: { id: idParam, policy_id: idParam, version: versionParam },
    response: versionDetailAnswer,
    status: 200,
    handle: async ({ access, params, url }) => {
      const row = await getVersion(access, params.id, params.policy_id, params.version);
      return { body: toVersionDetailDto(row, url) };
    },
  }),
});
