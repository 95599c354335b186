import { z } from "zod";
import type { Access } from "@/lib/access/identity/access";
import { listPatients, requirePatient } from "@/lib/insurance/patients/queries";
import type { PageRequest, PageSlice } from "@/lib/platform/db/page";
import { patientProviderTeamMembers as members } from "@/lib/records/catalog/patient-profile/patient-provider-team-members";
import { listRecordsOfPatients, toRecordDto } from "@/lib/records/engine/queries";
import { responseSchema } from "@/lib/records/engine/rules";

/** The team that treats a patient. Every patient has one, with the ID of the patient. */
export const providerTeam = z
  .object({
    patient_id: z.int(),
    patient_provider_team_id: z.int(),
    team_members: z.array(responseSchema(members, "get")),
  })
  .meta({ title: "PatientProviderTeam" });
type ProviderTeam = z.input<typeof providerTeam>;

/** @throws NotFoundError if the patient does not exist or belongs to another practice */
export async function getProviderTeam(access: Access, patientId: number): Promise<ProviderTeam> {
  await requirePatient(access, patientId);
  const rows = await listRecordsOfPatients(access, members, [patientId]);
  return toTeam(patientId, rows);
}

/** Returns a page of the teams of the caller's patients, by ID. */
export async function listProviderTeams(
  access: Access,
  page: PageRequest,
): Promise<PageSlice<{ id: number; team: ProviderTeam }>> {
  const { rows, ...slice } = await listPatients(access, {}, page);
  const ids = rows.map(({ id }) => id);
  const records = await listRecordsOfPatients(access, members, ids);
  return { ...slice, rows: rows.map(({ id, page_key }) => ({ id, page_key, team: toTeam(id, records) })) };
}

function toTeam(id: number, records: Awaited<ReturnType<typeof listRecordsOfPatients>>): ProviderTeam {
  const ofPatient = records.filter(({ patient_id }) => patient_id === id);
  const team_members = ofPatient.map((row) => toRecordDto(members, "get", row));
  return { patient_id: id, patient_provider_team_id: id, team_members };
}
