// GET, POST patients/{id}/patient_provider_team/. A team has the ID of its patient, so POST only confirms it.
import { z } from "zod";
import { ValidationError } from "@/lib/errors";
import { json } from "@/lib/http/body";
import { endpoint, idParam } from "@/lib/http/endpoint";
import { route } from "@/lib/http/route";
import type { Access } from "@/lib/oauth/access";
import { getPatient } from "@/lib/patients/queries";
import { toRecordDto } from "@/lib/resources/dto";
import { patientProviderTeamMembers as members } from "@/lib/resources/patient-profile/patient-provider-team-members";
import { listPatientRecords } from "@/lib/resources/queries";
import { answerOf } from "@/lib/resources/rules";

const response = z.object({
  patient_id: z.int(),
  patient_provider_team_id: z.int(),
  team_members: z.array(answerOf(members, "get")),
});

async function teamOf(access: Access, id: number) {
  const patient = await getPatient(access, id);
  const rows = await listPatientRecords(access, members.name, patient.id);
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
    handle: ({ access, params: { id } }) => teamOf(access, id),
  }),
  POST: endpoint({
    name: "patient_provider_team.put",
    summary: "Make sure of the team that treats a patient",
    scope: "system/patients.write",
    params: { id: idParam },
    body: json(z.object({ patient_provider_team_id: z.int() })),
    response,
    status: 200,
    handle: async ({ access, params: { id }, body: { patient_provider_team_id } }) => {
      const team = await teamOf(access, id);
      if (patient_provider_team_id === id) return team;
      throw new ValidationError({
        patient_provider_team_id: ["Is not the team of this patient: it is called as the patient."],
      });
    },
  }),
});
