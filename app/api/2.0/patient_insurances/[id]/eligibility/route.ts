// GET, POST patient_insurances/{id}/eligibility: the latest check, and a new one. A failed check is a result as well.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { checkInsurance } from "@/lib/insurance/eligibility/commands";
import { toEligibilityDto } from "@/lib/insurance/eligibility/dto";
import { getLatestCheck } from "@/lib/insurance/eligibility/queries";
import { eligibilityInput, eligibilityResponse } from "@/lib/insurance/eligibility/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "eligibility.get",
    summary: "Get the latest eligibility check",
    description:
      "`id` is the ID of a patient's insurance, or `patient_insurance` of its policy. 404 with the code `eligibility_not_checked` if it was never checked.",
    group: "Insurance",
    scope: "apiv2",
    params,
    response: eligibilityResponse,
    status: 200,
    handle: async ({ access, params }) => {
      const check = await getLatestCheck(access, params.id);
      return { body: toEligibilityDto(check), patients: [check.patient_id] };
    },
  }),
  POST: endpoint({
    name: "eligibility.check",
    summary: "Check eligibility with the payer",
    description:
      "Asks the payer and stores the result. If the payer can't be asked or doesn't find the member, `eligibility_status` is `error` and `eligibility_details.errors` says why. There is no dry run.",
    group: "Insurance",
    errors: [409, 410],
    scope: "apiv2",
    params,
    body: json(eligibilityInput),
    response: eligibilityResponse,
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      const check = await checkInsurance({ access, origin }, params.id, body);
      return { body: toEligibilityDto(check), patients: [check.patient_id] };
    },
  }),
});
