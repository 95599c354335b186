// GET patient-provider-teams/{id}/: the team that treats a patient, by the ID of the patient.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { getProviderTeam, providerTeam } from "@/lib/records/queries/provider-teams";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_provider_teams.get",
    summary: "Get a team by its ID, which is the ID of the patient",
    group: "Patient profile",
    scope: "apiv2",
    params: { id: idParam },
    response: providerTeam,
    status: 200,
    handle: async ({ access, params: { id } }) => ({ body: await getProviderTeam(access, id), patients: [id] }),
  }),
});
