// GET patient_insurances/{id}/eligibility_full_report: everything the payer reported in the latest check.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { toFullReportDto } from "@/lib/insurance/eligibility/dto";
import { getLatestCheck } from "@/lib/insurance/eligibility/queries";
import { eligibilityReportResponse } from "@/lib/insurance/eligibility/schema";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "eligibility.full_report",
    summary: "Get the full report of the latest eligibility check",
    description:
      "Benefits, plan and subscriber as the payer reported them. If the check failed, the benefits are empty. 404 with the code `eligibility_not_checked` if the insurance was never checked.",
    group: "Insurance",
    scope: "apiv2",
    params: { id: idParam },
    response: eligibilityReportResponse,
    status: 200,
    handle: async ({ access, params }) => {
      const check = await getLatestCheck(access, params.id);
      return { body: toFullReportDto(check), patients: [check.patient_id] };
    },
  }),
});
