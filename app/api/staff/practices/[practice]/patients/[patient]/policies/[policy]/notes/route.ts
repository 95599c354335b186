// GET, POST policies/{policy}/notes: the changes to the notes of a policy, and a new note.

import { idParam } from "@/lib/access/endpoints/endpoint";
import { staffEndpoint } from "@/lib/access/endpoints/staff-endpoint";
import { addNote } from "@/lib/insurance/notes/commands";
import { listNoteChanges } from "@/lib/insurance/notes/queries";
import { noteInput } from "@/lib/insurance/notes/schema";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";

const params = { practice: idParam, patient: idParam, policy: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: staffEndpoint({
    name: "staff.notes.changes",
    role: "viewer",
    params,
    status: 200,
    handle: async ({ access, params }) => ({
      body: { changes: await listNoteChanges(access, params.patient, params.policy) },
    }),
  }),
  POST: staffEndpoint({
    name: "staff.notes.add",
    role: "staff",
    params,
    body: json(noteInput),
    status: 200,
    handle: async ({ access, origin, params, body }) => {
      const request = { access, origin, patientId: params.patient, policyId: params.policy };
      return { body: { notes: await addNote(request, body) } };
    },
  }),
});
