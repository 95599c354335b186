// GET policies/{policy}/versions: `offset` is the version before the page. Returns 409 if Insurance Versioning is off.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { toStaffVersionDto } from "@/lib/insurance/policies/dto";
import { listVersions } from "@/lib/insurance/policies/queries";
import { requireVisibleHistory } from "@/lib/insurance/policies/staff-queries";
import { pageQuery, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.versions",
    role: "viewer",
    params: { practice: idParam, patient: idParam, policy: idParam },
    query: pageQuery(),
    status: 200,
    handle: async ({ access, params, query, url }) => {
      await requireVisibleHistory(access, params.patient);
      const page = toPageRequest(query, url);
      const slice = await listVersions(access, params.patient, params.policy, page);
      return { body: toPage(url, page, slice, toStaffVersionDto) };
    },
  }),
});
