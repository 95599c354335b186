// GET, POST patients/{id}/patient_provider_team/. A team has the ID of its patient, so POST only confirms it.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { ValidationError } from "@/lib/platform/errors";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { getProviderTeam, providerTeam as response } from "@/lib/records/queries/provider-teams";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_provider_team.get",
    summary: "Get the team that treats a patient",
    scope: "system/patients.read",
    params: { id: idParam },
    response,
    status: 200,
    handle: async ({ access, params: { id } }) => ({ body: await getProviderTeam(access, id) }),
  }),
  POST: endpoint({
    name: "patient_provider_team.put",
    summary: "Confirm the team that treats a patient",
    scope: "system/patients.write",
    params: { id: idParam },
    body: json(z.object({ patient_provider_team_id: z.int() })),
    response,
    status: 200,
    handle: async ({ access, params: { id }, body: { patient_provider_team_id } }) => {
      const team = await getProviderTeam(access, id);
      if (patient_provider_team_id === id) return { body: team };
      throw new ValidationError({
        patient_provider_team_id: ["Must be the ID of the patient, which is also the ID of the team."],
      });
    },
  }),
});
