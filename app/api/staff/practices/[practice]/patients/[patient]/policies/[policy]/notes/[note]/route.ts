// PUT, DELETE notes/{note}: each change stays in the history of the policy.
import { z } from "zod";
import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { deleteNote, editNote } from "@/lib/insurance/notes/commands";
import { noteInput } from "@/lib/insurance/notes/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { practice: idParam, patient: idParam, policy: idParam, note: z.uuid() };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  PUT: staffEndpoint({
    name: "staff.notes.edit",
    role: "staff",
    params,
    body: json(noteInput),
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, body, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, policyId: params.policy };
      return { body: { notes: await editNote(request, params.note, body, ifMatch) } };
    },
  }),
  DELETE: staffEndpoint({
    name: "staff.notes.delete",
    role: "staff",
    params,
    status: 200,
    versioned: true,
    handle: async ({ access, origin, params, ifMatch }) => {
      const request = { access, origin, patientId: params.patient, policyId: params.policy };
      return { body: { notes: await deleteNote(request, params.note, ifMatch) } };
    },
  }),
});
