// GET, POST patient-letters/{patient_letters}/comments/: the comments of staff on a patient letter.
import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { pageQuery, pageSchema, toPage, toPageRequest } from "@/lib/platform/http/pagination";
import { route } from "@/lib/platform/http/route";
import { patientLetterComments as comments } from "@/lib/records/catalog/patient-document/patient-letter-comments";
import { patientLetters } from "@/lib/records/catalog/patient-document/patient-letters";
import { createRecord } from "@/lib/records/engine/commands";
import { listRecords } from "@/lib/records/engine/list-queries";
import { dataSubjects, getRecord, toRecordDto } from "@/lib/records/engine/queries";
import { recordReply } from "@/lib/records/engine/routes";
import { bodySchema, responseSchema } from "@/lib/records/engine/rules";

const params = { patient_letters: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "patient_letter_comments.list",
    summary: "List the comments on a patient letter",
    group: "Patient document",
    scope: "apiv2",
    params,
    query: pageQuery(["created_date"]),
    response: pageSchema(responseSchema(comments, "list")),
    status: 200,
    readsMuch: true,
    handle: async ({ access, params: { patient_letters: id }, query, url }) => {
      const letter = await getRecord(access, patientLetters, id);
      const page = toPageRequest(query, url);
      const slice = await listRecords(access, comments, { letter: [id] }, page);
      const body = toPage(url, page, slice, (row) => toRecordDto(comments, "list", row));
      return { body, ...dataSubjects(patientLetters, [letter]) };
    },
  }),
  POST: endpoint({
    name: "patient_letter_comments.create",
    summary: "Add a comment to a patient letter",
    description: "`author` is the ID of a user of the practice. Responses don't contain it.",
    group: "Patient document",
    scope: "apiv2",
    params,
    body: json(bodySchema(comments, "create").omit({ letter: true })),
    response: responseSchema(comments, "get"),
    headers: ["Location", "ETag"],
    status: 201,
    handle: async ({ access, params: { patient_letters: letter }, origin, body, url }) => {
      await getRecord(access, patientLetters, letter);
      const comment = await createRecord({ access, origin }, comments, { ...body, letter });
      const location = new URL(`/api/2.0/patient-letters/${letter}/comments/${comment.id}/`, url).href;
      return recordReply(access, comments, "get", comment, { url, headers: { location } });
    },
  }),
});
