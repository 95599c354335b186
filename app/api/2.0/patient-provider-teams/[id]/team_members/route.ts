// GET patient-provider-teams/{id}/team_members/: returns the team, as in the contract.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { getProviderTeam, providerTeam } from "@/lib/records/queries/provider-teams";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_provider_teams.list_members",
    summary: "Get a team with its members",
    description: "The response is the team, as in `GET patient-provider-teams/{id}/`.",
    group: "Patient profile",
    scope: "apiv2",
    params: { id: idParam },
    response: providerTeam,
    status: 200,
    handle: async ({ access, params: { id } }) => ({ body: await getProviderTeam(access, id), patients: [id] }),
  }),
});
