// DELETE policies/{policy}/permanently: purges an archived policy with its history and images.
import { dryRunQuery, idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { purgePolicy } from "@/lib/insurance/commands/purge-policy";
import { toPolicyWriteDto } from "@/lib/insurance/policies/dto";
import { route } from "@/lib/platform/http/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  DELETE: staffEndpoint({
    name: "staff.policies.remove",
    role: "admin",
    params: { practice: idParam, patient: idParam, policy: idParam },
    query: dryRunQuery,
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, query, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, dryRun: query.dry_run };
      return { body: toPolicyWriteDto(await purgePolicy(request, params.policy, ifMatch)) };
    },
  }),
});
