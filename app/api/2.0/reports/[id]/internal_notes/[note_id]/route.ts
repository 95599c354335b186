// GET, PATCH, DELETE reports/{id}/internal_notes/{note_id}/: one of the practice's own notes on a report.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { reportNotes } from "@/lib/records/catalog/patient-document/report-notes";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { deleteRecord, updateRecord } from "@/lib/records/engine/commands";
import { getNestedRecord, getRecord } from "@/lib/records/engine/queries";
import { conditionalReply, recordReply } from "@/lib/records/engine/routes";
import { patchSchema, responseSchema } from "@/lib/records/engine/rules";

const params = { id: idParam, note_id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "report_notes.get",
    summary: "Get an internal note of a report",
    conditional: true,
    scope: "system/reports.read",
    params,
    response: responseSchema(reportNotes, "get"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id: of, note_id: id }, url, header }) => {
      await getRecord(access, reports, of);
      const note = await getNestedRecord(access, reportNotes, { id, field: "document", of });
      return conditionalReply(access, reportNotes, note, { url, header });
    },
  }),
  PATCH: endpoint({
    name: "report_notes.update",
    summary: "Change an internal note of a report",
    conditional: true,
    scope: "system/reports.write",
    params,
    body: json(patchSchema(reportNotes).omit({ document: true })),
    response: responseSchema(reportNotes, "update"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id: of, note_id: id }, ifMatch, origin, body, url }) => {
      await getRecord(access, reports, of);
      await getNestedRecord(access, reportNotes, { id, field: "document", of });
      const note = await updateRecord({ access, id, ifMatch, origin }, reportNotes, body);
      return recordReply(access, reportNotes, "update", note, { url });
    },
  }),
  DELETE: endpoint({
    name: "report_notes.delete",
    summary: "Delete an internal note of a report",
    conditional: true,
    scope: "system/reports.write",
    params,
    status: 204,
    handle: async ({ access, params: { id: of, note_id: id }, ifMatch, origin }) => {
      await getRecord(access, reports, of);
      await getNestedRecord(access, reportNotes, { id, field: "document", of });
      await deleteRecord({ access, id, ifMatch, origin }, reportNotes);
      return {};
    },
  }),
});
