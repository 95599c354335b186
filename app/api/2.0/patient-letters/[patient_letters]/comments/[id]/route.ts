// GET, DELETE patient-letters/{patient_letters}/comments/{id}/: a comment on a patient letter.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { route } from "@/lib/platform/http/route";
import { patientLetterComments as comments } from "@/lib/records/catalog/patient-document/patient-letter-comments";
import { deleteRecord } from "@/lib/records/engine/commands";
import { getNestedRecord } from "@/lib/records/engine/queries";
import { conditionalReply } from "@/lib/records/engine/routes";
import { responseSchema } from "@/lib/records/engine/rules";

const params = { patient_letters: idParam, id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_letter_comments.get",
    summary: "Get a comment on a patient letter",
    conditional: true,
    group: "Patient document",
    scope: "apiv2",
    params,
    response: responseSchema(comments, "get"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { patient_letters: of, id }, url, header }) => {
      const comment = await getNestedRecord(access, comments, { id, field: "letter", of });
      return conditionalReply(access, comments, comment, { url, header });
    },
  }),
  DELETE: endpoint({
    name: "patient_letter_comments.delete",
    summary: "Delete a comment on a patient letter",
    conditional: true,
    group: "Patient document",
    scope: "apiv2",
    params,
    status: 204,
    handle: async ({ access, params: { patient_letters: of, id }, ifMatch, origin }) => {
      await getNestedRecord(access, comments, { id, field: "letter", of });
      await deleteRecord({ access, id, ifMatch, origin }, comments);
      return {};
    },
  }),
});
