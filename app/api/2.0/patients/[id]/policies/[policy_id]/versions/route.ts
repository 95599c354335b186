// GET patients/{id}/policies/{policy_id}/versions: oldest first, each with its author, time, source and reason.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { toVersionDto } from "@/lib/insurance/policies/dto";
import { listVersions } from "@/lib/insurance/policies/queries";
import { versionResponse } from "@/lib/insurance/policies/schema";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "policies.versions",
    summary: "List the versions of a policy",
    group: "Insurance",
    errors: [410],
    scope: "system/patients.read",
    params: { id: idParam, policy_id: idParam },
    // Versions have no `id`, by which every list can be sorted. Here, it means `version`.
    query: pageQuery(["version"]),
    response: pageSchema(versionResponse),
    status: 200,
    handle: async ({ access, params, query, url }) => {
      const page = toPageRequest(query, url);
      const slice = await listVersions(access, params.id, params.policy_id, page);
      return { body: toPage(url, page, slice, toVersionDto) };
    },
  }),
});
