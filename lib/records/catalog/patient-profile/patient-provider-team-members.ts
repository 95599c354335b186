import { z } from "zod";
import { ValidationError } from "@/lib/platform/errors";
import {
  defaulted,
  type Field,
  idColumn,
  integer,
  optional,
  patientColumn,
  readOnly,
  readOnlyPatientColumn,
  reference,
  refersTo,
  required,
  text,
  time,
} from "@/lib/records/engine/fields";
import { defineResource } from "@/lib/records/engine/schema";

const shown = {
  activity_summary_last_refreshed: readOnly(time),
  earliest_activity: readOnly(time),
  group: defaulted(z.enum(["main", "other"]), "main"),
  latest_activity: readOnly(time),
  patient_id: readOnlyPatientColumn,
  patient_provider_team_member_id: idColumn,
  rank: readOnly(integer(1), 1),
  treatment_reason: optional(text()),
};

/** A team has the ID of its patient, because each patient has one. */
const team = { ...patientColumn } satisfies Field;
const shownTeam = { ...readOnlyPatientColumn } satisfies Field;

/** A physician on the team that treats a patient. */
export const patientProviderTeamMembers = defineResource({
  name: "patient-provider-team-members",
  title: "PatientProviderTeamMember",
  noun: "provider team member",
  owner: "patient",
  operations: ["create", "replace", "update", "delete"],
  fields: {
    ...shown,
    patient_provider_team_id: team,
    physician_id: refersTo(required(reference), "physicians"),
  },
  views: {
    update: {
      title: "PatientProviderTeamMemberUpdate",
      fields: { ...shown, patient_provider_team_id: shownTeam, physician_id: readOnly(reference) },
    },
  },
  filters: ["patient"],
  keys: { physician_id: { schema: reference, value: ({ physician_id }) => physician_id } },
  // New members rank last.
  beforeWrite: async ({ data, before, patientId, resource, reader }) => {
    if (before || patientId === null) return data;
    const team = await reader.recordsOfPatient(resource, patientId);
    if (team.some((member) => member.data.physician_id === data.physician_id)) {
      throw new ValidationError({ physician_id: ["Is already a member of this team."] });
    }
    return { ...data, rank: Math.max(0, ...team.map((member) => member.data.rank)) + 1 };
  },
});
