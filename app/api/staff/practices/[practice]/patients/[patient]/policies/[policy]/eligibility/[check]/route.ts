// GET policies/{policy}/eligibility/{check}: a check with its full report.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getCheck } from "@/lib/insurance/eligibility/staff-queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.eligibility.report",
    role: "viewer",
    params: { practice: idParam, patient: idParam, policy: idParam, check: idParam },
    status: 200,
    handle: async ({ access, params }) => ({
      body: await getCheck(access, params.patient, params.policy, params.check),
    }),
  }),
});
