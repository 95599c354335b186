// GET policies/{policy}/ssn: the full SSN, which pages mask. Each read has its own audit entry.
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { getPolicy } from "@/lib/insurance/policies/queries";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.policies.ssn",
    role: "viewer",
    params: { practice: idParam, patient: idParam, policy: idParam },
    status: 200,
    handle: async ({ access, params }) => {
      const { insured_person_ssn } = await getPolicy(access, params.patient, params.policy);
      return { body: { insured_person_ssn } };
    },
  }),
});
