// GET, POST policies/{policy}/eligibility: the latest checks, and a new one. A failed check is a result as well.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { checkPolicy } from "@/lib/insurance/eligibility/commands";
import { listChecks, toShownCheck } from "@/lib/insurance/eligibility/staff-queries";
import { route } from "@/lib/platform/http/route";

const params = { practice: idParam, patient: idParam, policy: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.eligibility.list",
    role: "viewer",
    params,
    status: 200,
    handle: async ({ access, params }) => ({
      body: { checks: await listChecks(access, params.patient, params.policy) },
    }),
  }),
  POST: staffEndpoint({
    name: "staff.eligibility.check",
    role: "staff",
    params,
    status: 200,
    handle: async ({ access, origin, params }) => {
      const target = { patientId: params.patient, policyId: params.policy };
      return { body: toShownCheck(await checkPolicy({ access, origin }, target)) };
    },
  }),
});
