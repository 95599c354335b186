// GET, POST patients/{id}/patient_provider_team/. A team has the ID of its patient, so POST only confirms it.
import { z } from "zod";
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import type { Access } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { ValidationError } from "@/lib/platform/errors";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { patientProviderTeamMembers as members } from "@/lib/records/catalog/patient-profile/patient-provider-team-members";
import { readerFor, toRecordDto } from "@/lib/records/engine/queries";
import { responseSchema } from "@/lib/records/engine/rules";

const response = z.object({
  patient_id: z.int(),
  patient_provider_team_id: z.int(),
  team_members: z.array(responseSchema(members, "get")),
});

async function readTeam(access: Access, id: number) {
  const patient = await getPatient(access, id);
  const rows = await readerFor(access).recordsOfPatient(members, patient.id);
  const team_members = rows.map((row) => toRecordDto(members, "get", row));
  return { body: { patient_id: id, patient_provider_team_id: id, team_members } };
}

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_provider_team.get",
    summary: "Get the team that treats a patient",
    scope: "system/patients.read",
    params: { id: idParam },
    response,
    status: 200,
    handle: ({ access, params: { id } }) => readTeam(access, id),
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
      const team = await readTeam(access, id);
      if (patient_provider_team_id === id) return team;
      throw new ValidationError({
        patient_provider_team_id: ["Must be the ID of the patient, which is also the ID of the team."],
      });
    },
  }),
});
