// GET, PATCH, DELETE reports/{id}/internal_notes/{note_id}/: one of the practice's own notes on a report.

import { endpoint, idParam } from "@/lib/access/endpoints/endpoint";
import { json } from "@/lib/platform/http/body";
import { route } from "@/lib/platform/http/route";
import { reportNotes } from "@/lib/records/catalog/patient-document/report-notes";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { deleteRecordOf, updateRecordOf } from "@/lib/records/engine/commands";
import { getPart, getRecord } from "@/lib/records/engine/queries";
import { replyOf, replyToRead } from "@/lib/records/engine/routes";
import { answerOf, patchOf } from "@/lib/records/engine/rules";

const params = { id: idParam, note_id: idParam };

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = route({
  GET: endpoint({
    name: "report_notes.get",
    summary: "Get an internal note of a report",
    conditional: true,
    scope: "system/reports.read",
    params,
    response: answerOf(reportNotes, "get"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id: of, note_id: id }, url, header }) => {
      await getRecord(access, reports, of);
      const note = await getPart(access, reportNotes, { id, field: "document", of });
      return replyToRead(access, reportNotes, note, { url, header });
    },
  }),
  PATCH: endpoint({
    name: "report_notes.update",
    summary: "Change an internal note of a report",
    conditional: true,
    scope: "system/reports.write",
    params,
    body: json(patchOf(reportNotes).omit({ document: true })),
    response: answerOf(reportNotes, "update"),
    headers: ["ETag"],
    status: 200,
    handle: async ({ access, params: { id: of, note_id: id }, ifMatch, origin, body, url }) => {
      await getRecord(access, reports, of);
      await getPart(access, reportNotes, { id, field: "document", of });
      const note = await updateRecordOf({ access, id, ifMatch, origin }, reportNotes, body);
      return replyOf(access, reportNotes, "update", note, { url });
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
      await getPart(access, reportNotes, { id, field: "document", of });
      await deleteRecordOf({ access, id, ifMatch, origin }, reportNotes);
      return {};
    },
  }),
});
